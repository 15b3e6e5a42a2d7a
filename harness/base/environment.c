#include "harness/base/environment.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "build_info.h" /* written by CMake */
#include "filters/core/version.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/parallel.h"

static json_t *cpu_model(void)
{
    char line[512];
    fb_file_line("/proc/cpuinfo", "model name", line, sizeof line);
    const char *colon = strchr(line, ':');
    return colon ? fb_json_text(colon + 1 + strspn(colon + 1, " ")) : NULL;
}

/* "level", "type" or "size" of a cache of the first processor. */
static bool about_cache(int index, const char *what, char line[32])
{
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, what);
    return fb_file_line(path, "", line, 32);
}

json_t *fb_environment_caches(void)
{
    json_t *sizes = json_object();
    for (int i = 0; i < 8; i++) {
        char level[32], type[32], size[32], name[48], *unit;
        if (!about_cache(i, "level", level))
            break;
        if (!about_cache(i, "type", type) || !strcmp(type, "Instruction") ||
            !about_cache(i, "size", size))
            continue;
        json_int_t bytes = strtoll(size, &unit, 10);
        bytes <<= *unit == 'K' ? 10 : *unit == 'M' ? 20 : 0;
        snprintf(name, sizeof name, "l%s%s", level, strcmp(type, "Data") ? "" : "d");
        json_object_set_new(sizes, name, json_integer(bytes));
    }
    if (json_object_size(sizes))
        return sizes;
    json_decref(sizes);
    return NULL;
}

json_t *fb_environment_isas(bool (*in)(enum fb_isa))
{
    json_t *names = json_array();
    for (int isa = FB_ISA_SCALAR; isa < FB_N_ISAS; isa++)
        if (in((enum fb_isa)isa))
            json_array_append_new(names, json_string(fb_isa_name((enum fb_isa)isa)));
    return names;
}

json_t *fb_environment_now(void)
{
    char text[32];
    struct tm utc;
    const time_t now = time(NULL);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    return json_string(text);
}

json_t *fb_environment_tool(void)
{
    json_t *tool = json_pack("{s:s, s:s}", "name", "filterbench", "version", FB_VERSION);
    fb_json_known(tool, "git", *FB_BUILD_GIT ? json_string(FB_BUILD_GIT) : NULL,
                  "not configured in a git checkout");
    return tool;
}

json_t *fb_environment_machine(void)
{
    struct utsname system;
    bool named = !uname(&system);
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    json_t *machine = json_object();
    fb_json_known(machine, "arch", named ? json_string(system.machine) : NULL, "uname failed");
    fb_json_known(machine, "cpu_model", cpu_model(), "/proc/cpuinfo has no model name");
    fb_json_known(machine, "cores", json_integer(fb_parallel_cores()), NULL);
    fb_json_known(machine, "isa", fb_environment_isas(fb_cpu_has), NULL);
    fb_json_known(machine, "caches_bytes", fb_environment_caches(), "no cache folder in /sys");
    fb_json_known(machine, "memory_bytes",
                  pages > 0 ? json_integer((json_int_t)pages * page_bytes) : NULL,
                  "sysconf does not say");
    fb_json_known(machine, "kernel", named ? json_string(system.release) : NULL, "uname failed");
    json_object_set_new(machine, "libc", json_sprintf("glibc %s", gnu_get_libc_version()));
    return machine;
}

json_t *fb_environment_build(void)
{
    unsigned xxhash = XXH_versionNumber();
    json_t *version = json_sprintf("%u.%u.%u", xxhash / 10000, xxhash / 100 % 100, xxhash % 100);
    return json_pack("{s:s, s:s, s:s, s:o, s:s}", "compiler", FB_BUILD_COMPILER, "type",
                     FB_BUILD_TYPE, "flags", FB_BUILD_FLAGS, "xxhash", version, "jansson",
                     jansson_version_str());
}

static const char *const lasting[] = {"arch", "cpu_model", "cores", "caches_bytes", NULL};

const char *fb_machine_difference(const json_t *other)
{
    static char text[120];
    json_auto_t *machine = fb_environment_machine();
    *text = '\0';
    for (int i = 0; lasting[i]; i++)
        if (!json_equal(json_object_get(machine, lasting[i]), json_object_get(other, lasting[i])))
            fb_append(text, sizeof text, "%s%s", *text ? ", " : "another ", lasting[i]);
    return *text ? text : "its key is another one";
}

void fb_machine_key_of(const json_t *machine, char key[17])
{
    json_auto_t *identity = fb_json_members(machine, lasting);
    char hex[33] = "";
    (void)fb_json_hash(identity, hex);
    snprintf(key, 17, "%.16s", hex);
}

void fb_machine_key(char key[17])
{
    json_auto_t *machine = fb_environment_machine();
    fb_machine_key_of(machine, key);
}

void fb_machine_file(const char *name, char path[FB_MACHINE_PATH])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char key[17];
    fb_machine_key(key);
    *path = '\0';
    if (cache && *cache == '/')
        snprintf(path, FB_MACHINE_PATH, "%s/filterbench/%s-%s.json", cache, name, key);
    else if (home && *home)
        snprintf(path, FB_MACHINE_PATH, "%s/.cache/filterbench/%s-%s.json", home, name, key);
}

void fb_machine_store(const char *path, const json_t *file)
{
    char folder[FB_MACHINE_PATH], whole[FB_MACHINE_PATH + 24];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)!mkdir(folder, 0777);
        *slash = '/';
    }
    snprintf(whole, sizeof whole, "%s.tmp-%ld", path, (long)getpid());
    if (json_dump_file(file, whole, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) ||
        rename(whole, path))
        unlink(whole);
}
