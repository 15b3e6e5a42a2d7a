/*
 * Plugins: designs from shared objects (filters/core/plugin.h), loaded before anything is asked of
 * the registry. A plugin stays for as long as the process lives.
 *
 * A design NAME of a plugin is found as NAME or, loaded with a prefix, as "PREFIX:NAME", so that
 * two revisions of one design stand side by side. What it does not say right is refused in one line
 * that names the file; nothing of a refused plugin is registered.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_PLUGIN_H
#define FILTERBENCH_HARNESS_FILTER_PLUGIN_H

#include <jansson.h>

#include "filters/core/plugin.h"
#include "harness/base/exit.h"

struct fb_plugin {
    char *path;         /* as given */
    char *real_path;    /* where it was found */
    char *file;         /* that was loaded: it, or a link of the folder that it is */
    const char *prefix; /* NULL: none */
    char content[33];   /* XXH3-128 of the file; of a folder, of its plain.so */
    size_t n_links;     /* of a folder; 0: a file */
    const char *name, *revision;
    enum fb_err (*tune)(const struct fb_tuning *); /* NULL: it keeps its own tuning */
    struct fb_design *designs;                     /* [n_designs], as registered */
    size_t n_designs;
};

/*
 * `path` is a shared object, or a folder of links of one and the same objects, as scripts/links
 * makes it: plain.so, the ordinary link, which is loaded here, and 000.so, 001.so, ..., in which
 * the objects stand in random order and at random distances. fb_plugins_link says which of them
 * measuring processes load.
 *
 * A plugin with a prefix keeps its own tuning, unless FB_TUNING asks for one (tuning.h): two
 * revisions are compared as they were built.
 *
 * FB_EXIT_PLUGIN with a line on stderr: it cannot be loaded, or one of its designs is not whole or
 * has a name that is taken. FB_EXIT_NOT_COMPARABLE with a line: its interface is of another major
 * version. `prefix` outlives the process; NULL: none. */
enum fb_exit fb_plugins_load(const char *path, const char *prefix);

/* Measuring processes that are started from now on load link number `link` of each folder, modulo
 * the number of its links; -1: plain.so. Of a folder that is loaded more than once, each
 * is a quarter of the links further on, so that all are in other places. */
void fb_plugins_link(int link);

/* The plugins loaded so far, in their order. */
size_t fb_n_plugins(void);
const struct fb_plugin *fb_plugin_at(size_t i);

/* Sets the tuning of those that let it be set; fb_plugins_load sets the one in force. */
enum fb_err fb_plugins_tune(const struct fb_tuning *) FB_MUST_USE;

/* A list of what documents say of them: path, prefix, name, revision, content, whether their tuning
 * is that of this program, names of designs. NULL: there is none. */
json_t *fb_plugins_json(void);

/* The path of the plugin that was loaded last, or is being loaded; NULL: none was. */
const char *fb_plugin_last(void);

/* In a process that was started to measure: loads what the one that started it had loaded when it
 * started it, in the same order. False with a line on stderr: one cannot be loaded, or is another
 * file by now. */
bool fb_plugins_inherit(void);

#endif
