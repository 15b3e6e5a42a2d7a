/* What the words of an experiment mean: key formats, popularities, kinds of absent keys, lookups,
 * allocations, devices. */
#ifndef FILTERBENCH_HARNESS_VERB_DESCRIBE_KEYS_H
#define FILTERBENCH_HARNESS_VERB_DESCRIBE_KEYS_H

#include <jansson.h>

/* All about a format ("bin:40", "bin:L"), a popularity ("zipf:0.99"), a kind of absent keys, a
 * lookup, an allocation or a device ("nvme", "100us"); NULL: it is none of them. */
json_t *fb_describe_keys(const char *name);
/* Their names, for suggestions: NULL beyond the last. */
const char *fb_describe_keys_name(size_t i);

#endif
