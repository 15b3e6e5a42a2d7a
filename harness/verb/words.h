/* What the words of an experiment mean: key formats, popularities, kinds of absent keys, attacks,
 * lookups, allocations, devices. */
#ifndef FILTERBENCH_HARNESS_VERB_WORDS_H
#define FILTERBENCH_HARNESS_VERB_WORDS_H

#include <jansson.h>

#include "filters/core/filter.h"
#include "harness/base/exit.h"

/* Appends a row {name, summary} for each word of a topic, as `list` names it: "formats",
 * "popularities", "absent", "attacks", "lookups", "allocations" or "devices"; NULL: of all. Rows of
 * devices are {name, read_ns, bytes_per_s}. */
void fb_words_list(const char *topic, json_t *rows);

/* All about a column or verdict of tables, a claim, a format ("bin:40", "len32"), a popularity
 * ("zipf:0.99"), a kind of absent keys, an attack, a lookup, an allocation or a device ("nvme",
 * "100us"); NULL: it is none of them. */
json_t *fb_words_about(const char *word);

/* What the glossary says of a word of tables, {word, meaning}; NULL: it does not have it. */
json_t *fb_words_glossary(const char *word);

/* Appends the rows of all ledgers; those that left have the reason as "claim". */
enum fb_exit fb_words_claims(json_t *rows);

/* What a design is sized by, of "bits" and "rate". */
json_t *fb_words_sizing(const struct fb_design *);

#endif
