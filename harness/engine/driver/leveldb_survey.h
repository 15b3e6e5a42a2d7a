/* What a database of LevelDB's tells of itself. Serves leveldb.cc. */
#ifndef FILTERBENCH_HARNESS_ENGINE_DRIVER_LEVELDB_SURVEY_H
#define FILTERBENCH_HARNESS_ENGINE_DRIVER_LEVELDB_SURVEY_H

#include <vector>

#include <leveldb/db.h>

#include "harness/engine/driver.h"

struct Listed {
    unsigned level;
    uint64_t number;
};
/* The tables of a database that is open, in the order of Gets. */
std::vector<Listed> tables_of(leveldb::DB *db);

/* Of the driver. LevelDB takes a lock and writes its log anew when it opens a database: so it opens
 * the scratch folder, with copies of all but the tables, which it reads where they are. */
bool survey(const struct fb_engine_survey *, char **settings, struct fb_engine_why *why);

#endif
