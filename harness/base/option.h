/*
 * The options of a verb: a table of them, and what fills their variables from the command line.
 */
#ifndef FILTERBENCH_HARNESS_BASE_OPTION_H
#define FILTERBENCH_HARNESS_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filters/core/filter.h"

/* --format, which every verb but export has. */
enum fb_output_format { FB_FORMAT_TABLE, FB_FORMAT_JSON, FB_FORMAT_MARKDOWN };

/* An option, bound to the variable it fills. Tables end with name == NULL. */
enum fb_opt_kind {
    FB_OPT_TEXT,    /* const char **: not empty */
    FB_OPT_TEXTS,   /* struct fb_texts *: may be repeated */
    FB_OPT_FLAG,    /* bool *: takes no value, may be repeated */
    FB_OPT_COUNT,   /* uint64_t *, low..high, as quantity.h has counts */
    FB_OPT_DOUBLE,  /* double *, low..high */
    FB_OPT_SHARE,   /* double *, low..high, "1%" is 0.01 */
    FB_OPT_SECONDS, /* double *, low..high, "2m" is 120 */
    FB_OPT_FORMAT,  /* enum fb_output_format *: the first two, or up to `high` */
    FB_OPT_DESIGN,  /* const struct fb_design ** */
    FB_OPT_HASH,    /* const struct fb_hash ** */
};
struct fb_opt {
    const char *name; /* "keys-format" */
    char letter;      /* 'o' for -o as well; 0: long form only */
    enum fb_opt_kind kind;
    void *out;
    double low, high;
};
struct fb_texts {
    const char *at[64];
    size_t n;
};

/* Every verb takes --plugin FILE, which has been heeded before: main loads plugins first, so that
 * other options can name their designs. */
#define FB_OPT_PLUGIN "plugin"
/* And, heeded here, --wide, which lets tables be wider than the terminal, and --verbose. */
#define FB_OPT_WIDE    "wide"
#define FB_OPT_VERBOSE "verbose"

/* Fills the variables of `opts` from argv (--help is main's); operands, none of them empty, end up
 * in argv[optind..argc), at most max_operands of them. False after printing what was wrong; an
 * option that is given twice and takes one value is wrong. */
bool fb_opt_parse(int argc, char **argv, const struct fb_opt *opts, int max_operands);
/* False, after printing that `option` is missing, when value is NULL. */
bool fb_opt_required(const char *option, const void *value);
/* Whether the options do not go together, or operands are missing: then "what: why" was printed. */
bool fb_opt_wrong(bool wrong, const char *what, const char *why);

#endif
