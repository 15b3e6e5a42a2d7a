/* Private to the files that read key files. */
#ifndef FILTERBENCH_WORKLOADS_CORE_KEYFILE_H
#define FILTERBENCH_WORKLOADS_CORE_KEYFILE_H

#include "workloads/core/keys.h"

/* One column of comma-separated values (keyfile_csv.c): its number from 1, or its name in the first
 * record. *error is zeroed by the caller. */
enum fb_err fb_csv_parse(const char *column, const uint8_t *data, size_t n_bytes,
                         struct fb_keyset *out, struct fb_keyfile_error *error) FB_MUST_USE;
/* The column's number, or 0 for a name. False: the text is empty, or a number below 1 or above
 * 2^31 - 1. */
bool fb_csv_column(const char *column, uint64_t *number);
/* What fb_csv_columns asks of the first record. */
size_t fb_csv_first(const uint8_t *data, size_t n_bytes, char *names);
/* What fb_csv_header asks of the first two records. */
bool fb_csv_names(const uint8_t *data, size_t n_bytes);

#endif
