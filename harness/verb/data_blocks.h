/*
 * Lists of a table's data blocks, as files.
 */
#ifndef FILTERBENCH_HARNESS_VERB_DATA_BLOCKS_H
#define FILTERBENCH_HARNESS_VERB_DATA_BLOCKS_H

#include "harness/base/exit.h"
#include "harness/tree/table_block.h"

/* Lines "OFFSET KEYS", two decimal numbers; empty lines and those that start with # count for
 * nothing. Into *list, malloc'd. Exit codes as fb_file_read, and FB_EXIT_USAGE with file and line
 * where a line says anything else, or none says anything. */
enum fb_exit fb_data_blocks_read(const char *path, struct fb_data_block **list, size_t *n);

#endif
