/*
 * Storage engines that filterbench can run: a table, and the loading of their drivers (driver.h).
 */
#ifndef FILTERBENCH_HARNESS_ENGINE_ENGINE_H
#define FILTERBENCH_HARNESS_ENGINE_ENGINE_H

#include "harness/base/exit.h"
#include "harness/engine/driver.h"

struct fb_engine {
    const char *name, *summary;
    const char *package; /* of Debian and Ubuntu, that its driver is built with */
    const char *designs; /* of an engine that takes its own filters only: "a,b"; NULL: it takes
                            others too */
};

/* Ends with name == NULL. */
extern const struct fb_engine fb_engines[];

/* NULL: no engine of that name. */
const struct fb_engine *fb_engine_find(const char *name);

/* Its driver, which stays loaded. NULL with a line on stderr, "leveldb is not built in: install
 * libleveldb-dev and configure again". */
const struct fb_engine_driver *fb_engine_load(const struct fb_engine *);

#endif
