/* A verb, as main.c's table names it and verb/<name>.c defines it. */
#ifndef FILTERBENCH_HARNESS_VERB_VERB_H
#define FILTERBENCH_HARNESS_VERB_VERB_H

#include <stdbool.h>
#include <stdio.h>

struct fb_verb {
    const char *name, *usage, *summary; /* usage without "filterbench " */
    /* --help below the usage line: what this prints, an empty line, and the text. NULL: only that.
     */
    void (*options)(FILE *);
    const char *help;
    int (*main)(int argc, char **argv); /* argv[0] is the verb; returns an enum fb_exit */
    /* True: the verb polls fb_interrupted() and returns FB_EXIT_INTERRUPTED itself. False: Ctrl-C
     * removes unfinished output files and ends the process with that code at once. */
    bool polls_interrupt;
    bool untuned; /* does not heed FB_TUNING */
};

#endif
