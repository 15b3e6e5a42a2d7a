#include "harness/engine/engine.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/base/message.h"

const struct fb_engine fb_engines[] = {
    {"leveldb", "Google's LevelDB: a filter for each 2 KiB of a table, any design as its policy",
     "libleveldb-dev", NULL},
    {"rocksdb",
     "RocksDB through its C interface: a filter for each table, its own Bloom and Ribbon",
     "librocksdb-dev", "rocksdb-fastlocal,rocksdb-ribbon"},
    {0},
};

const struct fb_engine *fb_engine_find(const char *name)
{
    return fb_named(name, fb_engines, sizeof *fb_engines);
}

const struct fb_engine_driver *fb_engine_load(const struct fb_engine *engine)
{
    char name[80], path[4096];
    snprintf(name, sizeof name, "filterbench_engine_%s.so", engine->name);
    fb_module_path(name, path, sizeof path);
    if (access(path, R_OK)) {
        fb_error("%s is not built in, as there is no %s; install filterbench-engines; in a source "
                 "tree install %s and g++, then type: "
                 "cmake --preset release && cmake --build build/release",
                 engine->name, path, engine->package);
        return NULL;
    }
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct fb_engine_driver *driver = object ? dlsym(object, "fb_engine_driver") : NULL;
    if (!driver) {
        fb_error("%s cannot be loaded: %s", engine->name, dlerror());
        return NULL;
    }
    if (driver->interface != FB_ENGINE_INTERFACE) {
        fb_error("%s cannot be loaded: %s is of another filterbench; build it again", engine->name,
                 path);
        return NULL;
    }
    return driver;
}
