#define _XOPEN_SOURCE 700 /* realpath */

#include "harness/filter/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/measure/processes.h"

enum {
    MOST_PLUGINS = 16,
    MOST_OWN_NAME = 31,
    MOST_NAME = 39, /* prefix and all: a tree's processes are told the name in 40 bytes */
    LEAST_DESIGN = offsetof(struct fb_design, slots),
    LEAST_PLUGIN = offsetof(struct fb_plugin_v1, tuning_size),
    TUNED_PLUGIN = sizeof(struct fb_plugin_v1), /* from version 1.1 on */
};

static struct fb_plugin plugins[MOST_PLUGINS];
static size_t n_plugins;

static const char inherited[] = "FILTERBENCH_CHILD_PLUGINS"; /* in the environment: the list */
static const char link_wanted[] = "FILTERBENCH_CHILD_LINK";  /* and fb_plugins_link */

size_t fb_n_plugins(void)
{
    return n_plugins;
}

const struct fb_plugin *fb_plugin_at(size_t i)
{
    return &plugins[i];
}

const char *fb_plugin_last(void)
{
    const char *loading = n_plugins < MOST_PLUGINS ? plugins[n_plugins].path : NULL;
    return loading ? loading : n_plugins ? plugins[n_plugins - 1].path : NULL;
}

/* ---- What it says of itself ---- */

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

static const char *wrong_kernel(const struct fb_kernel *k)
{
    if (k->isa <= FB_ISA_NONE || k->isa >= FB_N_ISAS)
        return "a kernel's instruction set is none that there is";
    if (!k->style)
        return "a kernel without style";
    return k->query && k->query_batch && k->query_each && k->query_branch && k->query_chain &&
                   k->query_across && k->prefetch_across
               ? NULL
               : "a kernel lacks a way to be asked";
}

/* What is missing of a design; NULL: nothing. */
static const char *wrong_design(const struct fb_design *d)
{
    if (!*d->name || d->name[strspn(d->name, letters)])
        return "a name has letters, digits, '-', '_' and '.' only";
    if (!d->summary || !d->source)
        return "no summary or no source";
    if (!d->hash || !d->digest)
        return "no digest, or no word on its hash";
    if (!d->plan || !d->fpr)
        return "no plan() or no fpr()";
    if (!d->kernels || !d->kernels[0])
        return "no kernel";
    if (d->kernels[0]->isa != FB_ISA_SCALAR)
        return "the first kernel is not a scalar one";
    if (!(d->traits & (FB_SIZES_BY_BITS | FB_SIZES_BY_RATE | FB_CONTROL)))
        return "it takes neither bits per key nor a rate";
    for (const struct fb_kernel *const *k = d->kernels; *k; k++) {
        const char *why = wrong_kernel(*k);
        if (why)
            return why;
        if (!(*k)->add_batch && !d->build)
            return "neither build() nor a kernel's add_batch()";
    }
    for (const struct fb_format *f = d->formats; f && f->name; f++)
        if (!f->summary || !f->size || !f->encode || !f->read)
            return "a block format lacks a summary or a function";
    return NULL;
}

/* Who has a design of that name already. */
static const char *owner_of(const char *name)
{
    for (size_t p = 0; p < n_plugins; p++)
        for (size_t i = 0; i < plugins[p].n_designs; i++)
            if (!strcmp(plugins[p].designs[i].name, name))
                return plugins[p].path;
    return "this program";
}

static enum fb_exit refuse(const char *path, const char *why)
{
    fb_error("plugin %s: %s", path, why);
    return FB_EXIT_PLUGIN;
}

static enum fb_exit check_head(const char *path, const struct fb_plugin_v1 *v1)
{
    if (v1->magic != FB_PLUGIN_MAGIC)
        return refuse(path, "its fb_plugin_v1 does not start with the magic number");
    if (v1->major != FB_PLUGIN_MAJOR) {
        fb_error("plugin %s: its interface is %d.%d, and this filterbench loads %d.x", path,
                 v1->major, v1->minor, FB_PLUGIN_MAJOR);
        return FB_EXIT_NOT_COMPARABLE;
    }
    if (v1->struct_size < LEAST_PLUGIN || v1->design_size < LEAST_DESIGN) {
        fb_error("plugin %s: its struct %s has %u bytes, and version %d.0 has %d", path,
                 v1->struct_size < LEAST_PLUGIN ? "fb_plugin_v1" : "fb_design",
                 v1->struct_size < LEAST_PLUGIN ? v1->struct_size : v1->design_size,
                 FB_PLUGIN_MAJOR, v1->struct_size < LEAST_PLUGIN ? LEAST_PLUGIN : LEAST_DESIGN);
        return FB_EXIT_PLUGIN;
    }
    if (!v1->name || !v1->revision)
        return refuse(path, "it has no name or no revision");
    return v1->designs && v1->designs[0] ? FB_EXIT_OK : refuse(path, "it has no design");
}

/* ---- Its designs ---- */

/* A copy of design i under its name, "PREFIX:NAME", in `out`, zeroed. */
static enum fb_exit take_design(const struct fb_plugin *plugin, const struct fb_plugin_v1 *v1,
                                size_t i, struct fb_design *out)
{
    const size_t known = v1->design_size < sizeof *out ? v1->design_size : sizeof *out;
    char name[MOST_NAME + 1], text[200];
    memcpy(out, v1->designs[i], known);
    if (!out->name) {
        snprintf(text, sizeof text, "design %zu of it has no name", i + 1);
        return refuse(plugin->path, text);
    }
    const char *own = out->name, *why = wrong_design(out);
    const int len = snprintf(name, sizeof name, "%s%s%s", plugin->prefix ? plugin->prefix : "",
                             plugin->prefix ? ":" : "", own);
    if (!why && (strlen(own) > MOST_OWN_NAME || len > MOST_NAME))
        why = "the name is too long";
    if (why) {
        snprintf(text, sizeof text, "design '%.60s': %s", own, why);
        return refuse(plugin->path, text);
    }
    bool twice = false;
    for (size_t j = 0; j < i; j++)
        twice = twice || !strcmp(plugin->designs[j].name, name);
    if (twice || fb_design_find(name)) {
        fb_error("plugin %s: design '%s': there is one of that name in %s already", plugin->path,
                 name, twice ? "it" : owner_of(name));
        return FB_EXIT_PLUGIN;
    }
    out->name = strdup(name);
    return out->name ? FB_EXIT_OK : fb_fail(plugin->path, FB_ENOMEM, NULL);
}

static enum fb_exit take_designs(struct fb_plugin *plugin, const struct fb_plugin_v1 *v1)
{
    enum fb_exit code = FB_EXIT_OK;
    size_t n = 0;
    while (n <= FB_MOST_REGISTERED && v1->designs[n])
        n++;
    if (n > FB_MOST_REGISTERED)
        return refuse(plugin->path, "its list of designs does not end");
    plugin->designs = calloc(n, sizeof *plugin->designs);
    if (!plugin->designs)
        return fb_fail(plugin->path, FB_ENOMEM, NULL);
    while (!code && plugin->n_designs < n) {
        code = take_design(plugin, v1, plugin->n_designs, &plugin->designs[plugin->n_designs]);
        plugin->n_designs += !code;
    }
    for (size_t i = 0; !code && i < n; i++)
        if (fb_design_register(&plugin->designs[i]))
            code = refuse(plugin->path, "there is no room for more designs");
    return code;
}

/* ---- The file ---- */

static bool measuring; /* this process was started to measure */

/* The object at a path that only this process has, of the same bytes; NULL: there is none such.
 * Where the pages of a file's code lie in memory lasts for as long as the system keeps the file,
 * and makes one of two equal files a per cent slower in every process: such pages are the
 * process's own. The file stays open: the loader takes a path that it has seen for the object that
 * was there. */
static void *open_copy(const uint8_t *bytes, size_t n_bytes)
{
    char path[40];
    const int fd = fb_memory_file(bytes, n_bytes);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return fd < 0 ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

void fb_plugins_link(int link)
{
    char text[16];
    snprintf(text, sizeof text, "%d", link);
    setenv(link_wanted, text, 1);
}

/* Counts the links of a folder, and sets the path of the one that this process loads. */
static void find_link(struct fb_plugin *plugin, char *path, size_t size)
{
    const char *wanted = getenv(link_wanted);
    size_t before = 0;
    do
        snprintf(path, size, "%s/%03zu.so", plugin->real_path, plugin->n_links);
    while (!access(path, R_OK) && ++plugin->n_links);
    for (size_t i = 0; i < n_plugins; i++)
        before += !strcmp(plugins[i].real_path, plugin->real_path);
    snprintf(path, size, "%s/plain.so", plugin->real_path);
    if (measuring && plugin->n_links && wanted && *wanted != '-')
        snprintf(path, size, "%s/%03zu.so", plugin->real_path,
                 ((size_t)strtoull(wanted, NULL, 10) + before * ((plugin->n_links + 3) / 4)) %
                     plugin->n_links);
}

/* Loads the object and sets its hash. A plugin with a prefix stands beside another revision: it is
 * measured in a copy. NULL after dlerror() or a line, with *said. */
static void *open_object(struct fb_plugin *plugin, bool *said)
{
    uint8_t *bytes;
    size_t n_bytes;
    void *object = NULL;
    struct stat about;
    if (!stat(plugin->real_path, &about) && S_ISDIR(about.st_mode)) {
        char path[4096 + 32];
        find_link(plugin, path, sizeof path);
        free(plugin->file);
        plugin->file = strdup(path);
        *said = access(path, R_OK);
        if (*said) {
            (void)refuse(plugin->path, "a folder of links has a plain.so, and this one has none; "
                                       "scripts/links makes such folders");
            return NULL;
        }
    }
    *said = fb_file_read(plugin->file, &bytes, &n_bytes);
    if (*said)
        return NULL;
    json_auto_t *hash = fb_json_xxh3(bytes, n_bytes);
    snprintf(plugin->content, sizeof plugin->content, "%s", json_string_value(hash));
    if (measuring && plugin->prefix)
        object = open_copy(bytes, n_bytes);
    free(bytes);
    return object ? object : dlopen(plugin->file, RTLD_NOW | RTLD_LOCAL);
}

/* What the loader says, without the path that it starts with. */
static enum fb_exit refuse_object(const struct fb_plugin *plugin)
{
    const char *why = dlerror();
    const size_t len = strlen(plugin->file);
    if (why && !strncmp(why, plugin->file, len) && why[len] == ':')
        why += len + 1 + (why[len + 1] == ' ');
    fb_error("plugin %s: %s%s", plugin->path, why ? why : "it cannot be loaded",
             why && strstr(why, "ELF") ? "; give a shared object, as `filterbench plugin new` makes"
                                       : "");
    return FB_EXIT_PLUGIN;
}

/* A revision that stands beside another is compared as it was built, its table of tunings and all,
 * unless the user asks for a tuning. */
static bool keeps_tuning(const char *prefix)
{
    const char *given = getenv("FB_TUNING");
    return prefix && !(given && *given);
}

static enum fb_exit load(struct fb_plugin *plugin)
{
    bool said;
    void *object = open_object(plugin, &said);
    if (!object)
        return said ? FB_EXIT_PLUGIN : refuse_object(plugin);
    enum fb_exit code = FB_EXIT_OK;
    const struct fb_plugin_v1 *v1 = dlsym(object, "fb_plugin_v1");
    code = v1 ? check_head(plugin->path, v1) : refuse(plugin->path, "it exports no fb_plugin_v1");
    if (!code) {
        plugin->name = v1->name;
        plugin->revision = v1->revision;
        if (v1->struct_size >= TUNED_PLUGIN && v1->tuning_size == sizeof(struct fb_tuning))
            plugin->tune = keeps_tuning(plugin->prefix) ? NULL : v1->tune;
        if (plugin->tune && plugin->tune(fb_tuning_now()))
            code = refuse(plugin->path, "it does not take the tuning that is in force");
    }
    if (!code)
        code = take_designs(plugin, v1);
    if (code)
        dlclose(object);
    return code;
}

static void close_plugin(struct fb_plugin *plugin)
{
    for (size_t i = 0; i < plugin->n_designs; i++)
        free((char *)plugin->designs[i].name);
    free(plugin->designs);
    free(plugin->real_path);
    free(plugin->file);
    free(plugin->path);
    *plugin = (struct fb_plugin){0};
}

enum fb_exit fb_plugins_load(const char *path, const char *prefix)
{
    if (n_plugins == MOST_PLUGINS)
        return refuse(path, "there is no room for more plugins");
    struct fb_plugin *plugin = &plugins[n_plugins];
    *plugin = (struct fb_plugin){
        .path = strdup(path), .real_path = realpath(path, NULL), .prefix = prefix};
    plugin->file = plugin->real_path ? strdup(plugin->real_path) : NULL;
    enum fb_exit code = !plugin->path        ? fb_fail(path, FB_ENOMEM, NULL)
                        : !plugin->real_path ? refuse(path, strerror(errno))
                        : !plugin->file      ? fb_fail(path, FB_ENOMEM, NULL)
                                             : load(plugin);
    if (code) {
        close_plugin(plugin);
        return code;
    }
    n_plugins++;
    json_auto_t *list = fb_plugins_json();
    char *text = json_dumps(list, JSON_COMPACT);
    const bool told = text && !setenv(inherited, text, 1);
    free(text);
    return told ? FB_EXIT_OK : fb_fail(path, FB_ENOMEM, NULL);
}

enum fb_err fb_plugins_tune(const struct fb_tuning *tuning)
{
    enum fb_err err = FB_OK;
    for (size_t i = 0; i < n_plugins && !err; i++)
        if (plugins[i].tune)
            err = plugins[i].tune(tuning);
    return err;
}

/* ---- Told to documents and to children ---- */

static json_t *plugin_json(const struct fb_plugin *plugin)
{
    json_t *designs = json_array();
    for (size_t i = 0; i < plugin->n_designs; i++)
        json_array_append_new(designs, json_string(plugin->designs[i].name));
    json_t *row = json_pack("{s:o, s:o, s:o, s:s, s:b, s:o}", "path", fb_json_text(plugin->path),
                            "name", fb_json_text(plugin->name), "revision",
                            fb_json_text(plugin->revision), "content_xxh3_128", plugin->content,
                            "tuned", plugin->tune != NULL, "designs", designs);
    if (plugin->prefix)
        json_object_set_new(row, "prefix", json_string(plugin->prefix));
    return row;
}

json_t *fb_plugins_json(void)
{
    json_t *rows = n_plugins ? json_array() : NULL;
    for (size_t i = 0; i < n_plugins; i++)
        json_array_append_new(rows, plugin_json(&plugins[i]));
    return rows;
}

bool fb_plugins_inherit(void)
{
    const char *text = getenv(inherited);
    if (n_plugins || !text)
        return true;
    static json_t *list; /* prefixes live in it */
    measuring = true;
    list = json_loads(text, 0, NULL);
    FB_EACH_AT(i, row, list) {
        const char *path = fb_json_str(row, "path");
        if (fb_plugins_load(path, json_string_value(json_object_get(row, "prefix"))))
            return false;
        if (!plugins[i].n_links &&
            strcmp(plugins[i].content, fb_json_str(row, "content_xxh3_128")) != 0) {
            fb_error("plugin %s: it is another file than when the run began", path);
            return false;
        }
    }
    return list;
}
