/* A verb, as main.c's table names it and verb/<name>.c defines it. */
#ifndef FILTERBENCH_HARNESS_VERB_VERB_H
#define FILTERBENCH_HARNESS_VERB_VERB_H

#include <stdbool.h>
#include <stdio.h>

struct fb_verb {
    /* Of --help, in its order but the name: a command to paste, what the verb does, how it is
     * called, without "filterbench ", and the options, which help.h lays out. */
    const char *name, *example, *summary, *usage, *help;
    void (*options)(FILE *, int argc, char **argv);   /* prints those before `help`; may be NULL */
    const char *(*example_of)(int argc, char **argv); /* of what argv names, or NULL; may be NULL */
    int (*main)(int argc, char **argv); /* argv[0] is the verb; returns an enum fb_exit */
    /* True: the verb polls fb_interrupted() and returns FB_EXIT_INTERRUPTED itself. False: Ctrl-C
     * removes unfinished output files and ends the process with that code at once. */
    bool polls_interrupt;
    bool untuned; /* does not heed FB_TUNING */
};

#endif
