/*
 * The fields of an experiment: a table, and one function for each kind of value.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_FIELDS_H
#define FILTERBENCH_HARNESS_DOCUMENT_FIELDS_H

#include "harness/base/quantity.h"
#include "harness/document/experiment.h"

struct fb_field;

/* The value in its resolved form; NULL with *problem set when it is not accepted. */
typedef json_t *fb_read_fn(struct fb_problem *problem, const struct fb_field *, const char *path,
                           const json_t *given);

struct fb_field {
    const char *name;
    const char *fallback; /* JSON */
    const char *accepted; /* what a wrong value is answered with, after "give " */
    /* For describe: what the field decides; what a number is of ("seconds"), NULL: of nothing; JSON
     * that it accepts, NULL: the fallback. */
    const char *meaning, *of, *example;
    double low, high; /* of a number, or of the length of a text */
    fb_read_fn *read;
    bool list;     /* a list of what `read` reads, repeats dropped; one element may stand for a list
                      of one, the text "a,b" for ["a", "b"], of numbers "6..9" for each, and an element
                      that is read as a list for     its entries */
    bool repeats;  /* of a list: they stay, as its elements have their places */
    bool may_miss; /* an empty list is accepted */
    bool above;    /* low itself is not accepted */
    bool all;      /* "all" stands for all words */
    bool may_lack; /* a result may be without it: it is taken out, or was added later */
    bool later;    /* the same; with its fallback it is not in the hash of an experiment, so that
                      results of before have theirs */
    enum fb_unit unit; /* of a number: a text "50M" is understood as well */
    /* What is written in a result, as members.txt writes a type, where `read` and `fallback` do not
     * tell it: "count | 'cores'". */
    const char *shape;
    /* Of fb_read_word: what is accepted, and what it is called in messages: "order". */
    const struct fb_word *words;
    const char *noun;
    /* Of fb_read_grammar: whether the text is accepted, and if not why (or NULL); and, as
     * fb_did_you_mean takes it, a table of what may have been meant, or NULL: FB_KNOWN. */
    bool (*valid)(const char *text, const char **why);
    const void *known;
    size_t stride;
};

/* What a field "cpu" (fb_read_cpu) stands for where it names no processor. */
enum { FB_CPU_AUTO = -2, FB_CPU_NONE = -1 };

/* Every field of the table with its value from the document, or its fallback. NULL with *problem
 * set. */
json_t *fb_fields_resolve(const struct fb_field *fields, const json_t *document,
                          struct fb_problem *problem);

/* ---- Kinds of fields ---- */

fb_read_fn fb_read_text, fb_read_name, fb_read_real, fb_read_count, fb_read_seed, fb_read_design,
    fb_read_hash, fb_read_flag, fb_read_cpu, fb_read_word, fb_read_grammar;
/* Of texts that name keys, FB_FIELD_KEYS: a format, or "file". */
bool fb_is_keys(const char *text, const char **why);
/* A copy of resolved fields without those that were added later and have their fallback; to be
 * released. */
json_t *fb_fields_early(const struct fb_field *fields, const json_t *resolved);

/* What an option was given of a list, in order: "8,10" and "nori" are [8, 10, "nori"]. NULL: not
 * UTF-8. */
json_t *fb_list_given(const struct fb_texts *);
/* What an option says of a seed: "5eed" is "0x5eed", and what is no such number stays for the field
 * to refuse. NULL: not UTF-8. */
json_t *fb_seed_given(const char *text);
/* Exactly the fallback. */
fb_read_fn fb_read_kind;
/* One of names [ends with NULL], or, where `all` is accepted, every one of them as a list. */
json_t *fb_read_one_of(struct fb_problem *, const char *what, const char *path, const json_t *given,
                       const char *const *names, bool all);

/* ---- Entries of the tables ---- */

/* NOLINTBEGIN(bugprone-macro-parentheses): initialisers */
#define FB_KNOWN(table) .known = (table), .stride = sizeof *(table)
/* A field; more of struct fb_field behind it, of which .meaning must be one:
 * FB_FIELD("n", "[1]", fb_read_count, .list = true, .meaning = "how many keys there are") */
#define FB_FIELD(field, value, reader, ...)                                                        \
    {                                                                                              \
        .name = field, .fallback = value, .read = reader, __VA_ARGS__                              \
    }
#define FB_FIELD_PROSE(field, text)                                                                \
    FB_FIELD(field, "\"\"", fb_read_text, .high = 1000, .accepted = "a text of up to 1000 bytes",  \
             .meaning = text)
#define FB_FIELD_REAL(field, value, from, to, text, ...)                                           \
    FB_FIELD(field, value, fb_read_real, .low = from, .high = to, .accepted = text, __VA_ARGS__)
#define FB_FIELD_SHARE(field, value, from, to, text, ...)                                          \
    FB_FIELD(field, value, fb_read_real, .low = from, .high = to, .accepted = text,                \
             .unit = FB_UNIT_SHARE, __VA_ARGS__)
#define FB_FIELD_COUNT(field, value, from, to, text, ...)                                          \
    FB_FIELD(field, value, fb_read_count, .low = from, .high = to, .accepted = text,               \
             .unit = FB_UNIT_COUNT, __VA_ARGS__)
/* A whole number of bytes, and a mean of such numbers. */
#define FB_FIELD_MEAN_BYTES(field, value, from, to, text, ...)                                     \
    FB_FIELD(field, value, fb_read_real, .low = from, .high = to, .accepted = text,                \
             .unit = FB_UNIT_BYTES, __VA_ARGS__)
#define FB_FIELD_BYTES(field, value, from, to, text, ...)                                          \
    FB_FIELD(field, value, fb_read_count, .low = from, .high = to, .accepted = text,               \
             .unit = FB_UNIT_BYTES, __VA_ARGS__)
#define FB_FIELD_FLAG(field, value, ...)                                                           \
    FB_FIELD(field, value, fb_read_flag, .accepted = "true or false", __VA_ARGS__)
/* Lists of numbers and of shares, which may be empty, and of counts. */
#define FB_FIELD_REALS(field, value, from, to, or_none, text, ...)                                 \
    FB_FIELD(field, value, fb_read_real, .list = true, .low = from, .high = to,                    \
             .may_miss = or_none, .accepted = text, __VA_ARGS__)
#define FB_FIELD_SHARES(field, value, from, to, or_none, text, ...)                                \
    FB_FIELD(field, value, fb_read_real, .list = true, .low = from, .high = to,                    \
             .may_miss = or_none, .accepted = text, .unit = FB_UNIT_SHARE, __VA_ARGS__)
#define FB_FIELD_COUNTS(field, value, from, to, text, ...)                                         \
    FB_FIELD(field, value, fb_read_count, .list = true, .low = from, .high = to, .accepted = text, \
             .unit = FB_UNIT_COUNT, __VA_ARGS__)
/* A word of a table; a list of words, for all of which "all" may stand. */
#define FB_FIELD_WORD(field, value, table, called, ...)                                            \
    FB_FIELD(field, value, fb_read_word, .words = table, .noun = called, __VA_ARGS__)
#define FB_FIELD_WORDS(field, value, table, called, or_all, ...)                                   \
    FB_FIELD(field, value, fb_read_word, .list = true, .words = table, .noun = called,             \
             .all = or_all, __VA_ARGS__)
/* What every table starts with: title is the name of an experiment that gives none. */
#define FB_FIELDS_FIRST(title, kind_name)                                                          \
    FB_FIELD("name", "\"" title "\"", fb_read_name, .low = 1, .high = 80,                          \
             .accepted = "up to 80 letters, digits, '-', '_' and '.', not starting with '.'",      \
             .meaning = "what the experiment and its result file are called"),                     \
        FB_FIELD_PROSE("summary", "what the experiment is about, in one line"),                    \
        FB_FIELD_PROSE("source", "where its figures are from"),                                    \
        FB_FIELD_PROSE("runtime", "how long it takes, where"),                                     \
        FB_FIELD("kind", "\"" kind_name "\"", fb_read_kind, .accepted = "\"" kind_name "\"",       \
                 .meaning = "the kind of experiment ('filterbench list kinds')")
/* Fields that several tables have. */
#define FB_FIELD_DESIGNS(value)                                                                    \
    FB_FIELD("designs", value, fb_read_design, .list = true,                                       \
             .meaning = "the designs that are compared; filters: all but the controls, all: "      \
                        "every one ('filterbench list designs')",                                  \
             .accepted = "names of designs, filters or all", .example = "[\"leveldb\", \"nori\"]")
#define FB_FIELD_KEYS                                                                              \
    FB_FIELD("keys", "\"pad40\"", fb_read_grammar, .valid = fb_is_keys, FB_KNOWN(fb_keygens),      \
             .accepted = "the name of a key format, or file",                                      \
             .meaning = "which keys there are: a format of made keys, or file for those of "       \
                        "--keys ('filterbench list formats')",                                     \
             .example = "\"uuid4\"")
#define FB_FIELD_CPU                                                                               \
    FB_FIELD("cpu", "\"auto\"", fb_read_cpu, .high = 4095,                                         \
             .accepted = "auto, none, or the number of a processor", .example = "1",               \
             .meaning = "the processor that measures: auto takes an idle one, none lets the "      \
                        "system choose and move it")
#define FB_FIELD_BUDGET(value)                                                                     \
    FB_FIELD("budget", value, fb_read_real, .high = 1e6, .above = true, .unit = FB_UNIT_SECONDS,   \
             .accepted = "seconds above 0 and at most 1000000", .of = "seconds", .example = "60",  \
             .meaning = "how long is measured at most, building included")
#define FB_FIELD_SEED                                                                              \
    FB_FIELD("seed", "\"0x5eed\"", fb_read_seed,                                                   \
             .accepted = "up to 16 hexadecimal digits as a string, \"0x5eed\"",                    \
             .example = "\"0x1\"",                                                                 \
             .meaning = "root of all keys and queries: another one draws others")
/* NOLINTEND(bugprone-macro-parentheses) */

/* "path: -1 is not accepted; give a number above 0", and where a text was given for a number that
 * has a unit, ", such as 1M". Returns NULL. */
json_t *fb_reject_value(struct fb_problem *, const struct fb_field *, const char *path,
                        const json_t *given);
/* "path: no design 'x', did you mean 'y'?", or where the names are listed; names end with NULL.
 * Returns NULL. */
json_t *fb_reject_name(struct fb_problem *, const char *what, const char *path, const json_t *given,
                       const char **names);

/* Significant digits that a number of an experiment is kept with. */
enum { FB_EXPERIMENT_DIGITS = 15 };

#endif
