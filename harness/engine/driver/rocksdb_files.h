/*
 * What lies in the folder of a RocksDB: its tables, in the order in which a Get looks for them, and
 * its options.
 */
#ifndef FILTERBENCH_HARNESS_ENGINE_DRIVER_ROCKSDB_FILES_H
#define FILTERBENCH_HARNESS_ENGINE_DRIVER_ROCKSDB_FILES_H

#include <rocksdb/c.h>

#include "harness/engine/driver.h"

/* False, with "what: text" in *why. */
bool fb_rocksdb_fail(struct fb_engine_why *why, const char *what, const char *text);

/* As tables() of a driver. */
bool fb_rocksdb_tables(rocksdb_t *, const char *folder, const struct fb_engine_sink *,
                       struct fb_engine_why *why);

/* As settings() of a driver: from the file of options that RocksDB wrote when it was opened. */
char *fb_rocksdb_settings(const char *folder, uint64_t write_buffer_bytes);

#endif
