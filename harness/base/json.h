/*
 * JSON: writes members of documents, and reads them.
 *
 * A number that is not known is written as null, and the reason stands beside it:
 *
 *     fb_json_real(cell, "z", NAN, "the model has no error")
 *     {"z": null, "z_reason": "the model has no error"}
 */
#ifndef FILTERBENCH_HARNESS_BASE_JSON_H
#define FILTERBENCH_HARNESS_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/exit.h"

/* ---- Setting members ---- */

/* Sets object[name] to value, which it takes over. If value is NULL, sets object[name] to null and
 * object["NAME_reason"] to reason. */
void fb_json_known(json_t *object, const char *name, json_t *value, const char *reason);
/* The same for a double, which counts as unknown if it is not finite. */
void fb_json_real(json_t *object, const char *name, double value, const char *reason);
/* Whether a member of that name is a reason, as "z_reason" is. */
bool fb_json_is_reason(const char *name);
/* Removes every reason from the value and from all values inside it. */
void fb_json_drop_reasons(json_t *);

/* ---- Making values; the caller owns them ---- */

json_t *fb_json_int(uint64_t);
/* A number, or null where it is not finite. */
json_t *fb_json_number(double);
/* {low, high}, or NULL where one of them is not finite. */
json_t *fb_json_interval(double low, double high);
/* A string of any bytes: what is not printable becomes '?' (printable.h). */
json_t *fb_json_text(const char *text);
/* A 64-bit word as the text "0x..." with 16 digits, since a double cannot hold each of them. */
json_t *fb_json_word(uint64_t word);
/* XXH3-128 of bytes, as a string of 32 hexadecimal digits. */
json_t *fb_json_xxh3(const void *bytes, size_t n);

/* A member of a C struct, a uint64_t, and its name in documents. If `word` is set, it is written as
 * fb_json_word does. A table of them ends with a name of NULL. */
struct fb_json_count {
    const char *name;
    size_t offset;
    bool word;
};
#define FB_JSON_COUNT(of, member)                                                                  \
    {                                                                                              \
        .name = #member, .offset = offsetof(of, member)                                            \
    }
#define FB_JSON_WORD(of, member)                                                                   \
    {                                                                                              \
        .name = #member, .offset = offsetof(of, member), .word = true                              \
    }
void fb_json_set_counts(json_t *object, const struct fb_json_count *, const void *from);
/* Reads them back. A member that is missing or is no count gives 0; the checks of members.txt have
 * refused such a document before. */
void fb_json_get_counts(const json_t *object, const struct fb_json_count *, void *to);

/* ---- Reading ---- */

/* The member at "fpr.model.value", NULL where there is none. Each name has at most 31 bytes. */
const json_t *fb_json_at(const json_t *object, const char *path);
const char *fb_json_str(const json_t *object, const char *path); /* "" where it is no string */
double fb_json_num(const json_t *object, const char *path);      /* NaN where it is no number */
uint64_t fb_json_uint(const json_t *object, const char *path);   /* 0 where it is none above 0 */
/* Whether a list has an entry that is this text, or equals this value. */
bool fb_json_lists(const json_t *list, const char *text);
bool fb_json_has(const json_t *list, const json_t *value);
/* The first entry of a list that has this text at the path; NULL: none has. */
const json_t *fb_json_find(const json_t *list, const char *path, const char *text);
/* Whether a and b both have a member at each path, and these are equal. paths ends with NULL. */
bool fb_json_same(const json_t *a, const json_t *b, const char *const *paths);

/* A loop over the entries of a list: `json_t *entry` is each of them, `size_t i` where it stands.
 * It takes break and continue as any loop: the inner one, which declares the entry, has one turn,
 * and ends the outer one if it is left before. What is no list has no entries. */
/* NOLINTBEGIN(bugprone-macro-parentheses): declarations */
#define FB_EACH_AT(i, entry, list)                                                                 \
    for (size_t i = 0, entry##_on = 1; entry##_on && i < json_array_size(list); i++)               \
        for (json_t *entry = (entry##_on = 0, json_array_get(list, i)); !entry##_on; entry##_on = 1)
#define FB_EACH(entry, list) FB_EACH_AT(entry##_at, entry, list)
/* The same over the members of an object: `const char *name` and `json_t *value`. */
#define FB_EACH_MEMBER(name, value, object)                                                        \
    for (const char *name = json_object_iter_key(json_object_iter((json_t *)(object))),            \
                    *name##_on = name;                                                             \
         name && name##_on; name = json_object_iter_key(json_object_iter_next(                     \
                                (json_t *)(object), json_object_key_to_iter(name))))               \
        for (json_t *value =                                                                       \
                 (name##_on = NULL, json_object_iter_value(json_object_key_to_iter(name)));        \
             !name##_on; name##_on = name, (void)value)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Parses a text; flags are jansson's, besides JSON_REJECT_DUPLICATES. NULL with *why: "line 3: not
 * JSON: ...", or where a text in it is not printable (printable.h). */
enum { FB_JSON_WHY = 200 };
json_t *fb_json_parse(const char *text, size_t len, size_t flags, char why[FB_JSON_WHY]);
/* Any JSON file of at most 1 GiB, or FILTERBENCH_DOCUMENT_BYTES of the environment. FB_EXIT_USAGE
 * with a line on stderr where it is none. */
enum fb_exit fb_json_load(const char *path, json_t **json);
/* All JSON files of a folder of the project's data ("workloads/presets"), by name, as an array; a
 * folder that is not there is empty. FB_EXIT_USAGE where one of them is none. */
enum fb_exit fb_json_folder(const char *folder, json_t **documents);

/* A copy of an object that has only those of its members that names lists. names ends with NULL. */
json_t *fb_json_members(const json_t *object, const char *const *names);

/* ---- Comparing ---- */

/* XXH3-128 of the value, written as compact JSON with sorted names and 15 digits. A value that was
 * written to a file and read again has the same hash. False: out of memory. */
bool fb_json_hash(const json_t *value, char hex[33]);

/* Whether a and b agree. Integers must be equal. Other numbers may differ by 1e-9 of the larger
 * one, or by 1e-12, because mathematical libraries differ in the last digits. A "z" may differ by
 * more, since it is a difference of near numbers. Reasons beside a null are not compared. If a and
 * b disagree, *where, which must be NULL before, is set to the path of the first member that
 * differs: a static text, valid until the next call. */
bool fb_json_agree(const json_t *a, const json_t *b, const char **where);

#endif
