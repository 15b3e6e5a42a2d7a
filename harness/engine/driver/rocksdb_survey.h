/* What a database of RocksDB's tells of itself: its settings, its files, and all that a survey
 * takes. Serves rocksdb.c. */
#ifndef FILTERBENCH_HARNESS_ENGINE_DRIVER_ROCKSDB_SURVEY_H
#define FILTERBENCH_HARNESS_ENGINE_DRIVER_ROCKSDB_SURVEY_H

#include <rocksdb/c.h>

#include "harness/engine/driver.h"

/* False, with *why: "what: text"; and where RocksDB says that something failed, whose text it
 * frees. */
bool fb_rocksdb_fail(struct fb_engine_why *, const char *what, const char *text);
bool fb_rocksdb_check(char *error, struct fb_engine_why *);

/* Those of a column family that decide what Gets read, of the newest file OPTIONS-000007: "name =
 * value" a line, malloc'd. NULL: there is no such file. */
char *fb_rocksdb_settings(const char *folder, const char *family);

/* A file of tables; name and smallest key are those of the list that it comes from. */
struct fb_rocksdb_file {
    unsigned level;
    uint64_t number, bytes;
    const char *name, *smallest; /* "/000012.sst" */
    size_t smallest_len;
};
/* Those of a column family in the order of Gets, [*n], malloc'd; NULL: no memory. */
struct fb_rocksdb_file *fb_rocksdb_files(const rocksdb_livefiles_t *, const char *family,
                                         size_t *n);

/* Of the driver. Read-only: RocksDB takes no lock, and its log goes into the scratch folder. */
bool fb_rocksdb_survey(const struct fb_engine_survey *, char **settings, struct fb_engine_why *why);

#endif
