#include "harness/filter/tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/environment.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/filter/plugin.h"
#include "harness/measure/caches.h"

static const char schema[] = "filterbench tuning 1";

/* ---- Entries ---- */

void fb_prefetch_text(struct fb_prefetch p, char out[FB_PREFETCH_TEXT])
{
    const char *hint = fb_hint_words[p.hint].name;
    if (p.hint == FB_HINT_NONE)
        snprintf(out, FB_PREFETCH_TEXT, "%s", hint);
    else
        snprintf(out, FB_PREFETCH_TEXT, "%s %u", hint, (unsigned)p.ahead);
}

/* Whether the text is an entry of that work. */
static bool read_entry(const char *text, enum fb_tuned_work work, struct fb_prefetch *out)
{
    for (unsigned hint = 0; hint < FB_N_HINTS; hint++) {
        for (unsigned ahead = hint ? 8 : 0; ahead <= (hint ? FB_AHEAD_MOST : 0); ahead += 8) {
            char own[FB_PREFETCH_TEXT];
            *out = (struct fb_prefetch){(uint16_t)ahead, (uint16_t)hint};
            fb_prefetch_text(*out, own);
            if (!strcmp(text, own))
                return hint != FB_HINT_WRITE || work == FB_TUNED_INSERT;
            if (!hint)
                break;
        }
    }
    return false;
}

void fb_tuning_follow(struct fb_tuning *t)
{
    for (int work = 0; work < FB_N_TUNED_WORKS; work++) {
        struct fb_prefetch(*of)[FB_N_REACHES] = t->prefetch[work];
        memcpy(of[FB_TUNED_TOUCH_32], of[FB_TUNED_BLOCK_32], sizeof *of);
        memcpy(of[FB_TUNED_TOUCH_64], of[FB_TUNED_LINE_64], sizeof *of);
        memcpy(of[FB_TUNED_FETCH], of[FB_TUNED_LINE_64], sizeof *of);
    }
}

/* ---- As JSON ---- */

static json_t *prefetch_json(const struct fb_tuning *t)
{
    json_t *works = json_object();
    for (int work = 0; work < FB_N_TUNED_WORKS; work++) {
        json_t *classes = json_object();
        for (int tuned = 0; tuned < FB_N_TUNED_DESIGNS; tuned++) {
            json_t *reaches = json_object();
            for (int reach = 0; reach < FB_N_REACHES; reach++) {
                char text[FB_PREFETCH_TEXT];
                fb_prefetch_text(t->prefetch[work][tuned][reach], text);
                json_object_set_new(reaches, fb_reach_words[reach].name, json_string(text));
            }
            json_object_set_new(classes, fb_tuned_words[tuned].name, reaches);
        }
        json_object_set_new(works, fb_tuned_work_words[work].name, classes);
    }
    return works;
}

/* Adds name, caches and entries. */
static void set_tuning(json_t *object, const struct fb_tuning *t)
{
    json_object_set_new(object, "l2_bytes", fb_json_int(t->l2_bytes));
    json_object_set_new(object, "l3_bytes", fb_json_int(t->l3_bytes));
    json_object_set_new(object, "prefetch", prefetch_json(t));
}

json_t *fb_tuning_profile(const struct fb_tuning *t, json_t *measured)
{
    char key[17];
    fb_machine_key(key);
    json_t *profile =
        json_pack("{s:s, s:s, s:o, s:o, s:s}", "schema", schema, "key", key, "machine",
                  fb_environment_machine(), "tool", fb_environment_tool(), "name", t->name);
    set_tuning(profile, t);
    if (measured)
        json_object_set_new(profile, "measured", measured);
    return profile;
}

/* Whether an object has exactly the members of the first n words. */
static bool has_exactly(const json_t *object, const struct fb_word *words, size_t n,
                        const char *path, struct fb_problem *problem)
{
    if (!json_is_object(object))
        return fb_refuse(problem, "%s: it must be an object", path);
    for (size_t i = 0; i < n; i++)
        if (!json_object_get(object, words[i].name))
            return fb_refuse(problem, "%s: it has no '%s'", path, words[i].name);
    FB_EACH_MEMBER(name, member, object)
        if (fb_word_find(words, name) >= n)
            return fb_refuse(problem, "%s: '%.40s' is not known", path, name);
    return true;
}

static bool read_class(const json_t *reaches, enum fb_tuned_work work, const char *path,
                       struct fb_prefetch out[FB_N_REACHES], struct fb_problem *problem)
{
    if (!has_exactly(reaches, fb_reach_words, FB_N_REACHES, path, problem))
        return false;
    for (int reach = 0; reach < FB_N_REACHES; reach++) {
        const char *name = fb_reach_words[reach].name, *text = fb_json_str(reaches, name);
        if (!read_entry(text, work, &out[reach]))
            return fb_refuse(
                problem,
                "%s.%s: '%.40s' is no entry; give \"none\", or T0%s and a multiple of 8 "
                "up to %d, as \"T1 128\"",
                path, name, text, work == FB_TUNED_INSERT ? ", T1 or write" : " or T1",
                FB_AHEAD_MOST);
    }
    return true;
}

static bool read_prefetch(const json_t *works, struct fb_tuning *out, struct fb_problem *problem)
{
    char path[64];
    if (!has_exactly(works, fb_tuned_work_words, FB_N_TUNED_WORKS, "prefetch", problem))
        return false;
    for (int work = 0; work < FB_N_TUNED_WORKS; work++) {
        const json_t *classes = json_object_get(works, fb_tuned_work_words[work].name);
        snprintf(path, sizeof path, "prefetch.%s", fb_tuned_work_words[work].name);
        if (!has_exactly(classes, fb_tuned_words, FB_N_TUNED_DESIGNS, path, problem))
            return false;
        for (int tuned = 0; tuned < FB_N_TUNED_DESIGNS; tuned++) {
            const char *name = fb_tuned_words[tuned].name;
            snprintf(path, sizeof path, "prefetch.%s.%s", fb_tuned_work_words[work].name, name);
            if (!read_class(json_object_get(classes, name), (enum fb_tuned_work)work, path,
                            out->prefetch[work][tuned], problem))
                return false;
        }
    }
    fb_tuning_follow(out);
    return true;
}

static bool read_bytes(const json_t *profile, const char *name, uint64_t *out,
                       struct fb_problem *problem)
{
    const json_t *bytes = json_object_get(profile, name);
    *out = json_is_integer(bytes) && json_integer_value(bytes) > 0
               ? (uint64_t)json_integer_value(bytes)
               : 0;
    return *out || fb_refuse(problem, "%s: it must be a number of bytes above 0", name);
}

static bool is_printable(const char *text)
{
    while (*text >= ' ' && *text <= '~')
        text++;
    return !*text;
}

static bool read_profile(const json_t *profile, struct fb_tuning *out, struct fb_problem *problem)
{
    static const struct fb_word members[] = {
        {.name = "schema"},   {.name = "key"},
        {.name = "machine"},  {.name = "tool"},
        {.name = "name"},     {.name = "l2_bytes"},
        {.name = "l3_bytes"}, {.name = "prefetch"},
        {.name = "measured"}, {0},
    };
    enum { ALL = sizeof members / sizeof *members - 1 };
    const char *name = fb_json_str(profile, "name");
    *out = (struct fb_tuning){.l2_bytes = 0};
    if (strcmp(fb_json_str(profile, "schema"), schema) != 0)
        return fb_refuse(
            problem, "no tuning, as `filterbench tune` writes it: its schema is not '%s'", schema);
    FB_EACH_MEMBER(member, value, profile)
        if (fb_word_find(members, member) >= ALL)
            return fb_refuse(problem, "'%.40s' is not known", member);
    if (strlen(fb_json_str(profile, "key")) != 16)
        return fb_refuse(problem, "key: it must be the 16 digits of a machine");
    if (!*name || strlen(name) >= sizeof out->name || !is_printable(name) ||
        !is_printable(fb_json_str(profile, "machine.cpu_model")))
        return fb_refuse(problem,
                         "name and machine.cpu_model: printable ASCII, the name 1 to %zu of it",
                         sizeof out->name - 1);
    snprintf(out->name, sizeof out->name, "%s", name);
    if (!read_bytes(profile, "l2_bytes", &out->l2_bytes, problem) ||
        !read_bytes(profile, "l3_bytes", &out->l3_bytes, problem))
        return false;
    if (out->l3_bytes < out->l2_bytes)
        return fb_refuse(problem, "l3_bytes: it must not be below l2_bytes");
    return read_prefetch(json_object_get(profile, "prefetch"), out, problem);
}

enum fb_exit fb_tuning_load(const char *path, struct fb_tuning *out, char **other)
{
    json_auto_t *profile = NULL;
    struct fb_problem problem;
    char key[17];
    if (other)
        *other = NULL;
    enum fb_exit code = fb_json_load(path, &profile);
    if (code)
        return code;
    if (!read_profile(profile, out, &problem)) {
        fb_error("%s: %s", path, problem.text);
        code = FB_EXIT_USAGE;
    }
    fb_machine_key(key);
    if (!code && strcmp(fb_json_str(profile, "key"), key) != 0) {
        const char *cpu = fb_json_str(profile, "machine.cpu_model");
        if (other)
            *other = strdup(*cpu ? cpu : "an unknown processor");
        else
            fb_error(
                "%s: the tuning of another machine, %.80s (%s); force:%s uses it none the less",
                path, *cpu ? cpu : "of an unknown processor",
                fb_machine_difference(json_object_get(profile, "machine")), path);
        code = other ? FB_EXIT_OK : FB_EXIT_NOT_COMPARABLE;
    }
    return code;
}

/* ---- In force ---- */

static struct fb_tuning_source in_force = {.from = "processor"};

enum fb_err fb_tuning_use(const struct fb_tuning *t)
{
    const enum fb_err err = fb_tuning_set(t);
    return err ? err : fb_plugins_tune(fb_tuning_now());
}

/* The caches that the system names, in place of those of the processor: a guest's share of the
 * last level, of which it may see the whole host's. */
static void set_caches(struct fb_tuning *t)
{
    struct fb_caches caches;
    struct fb_tuning own;
    fb_tuning_detect(&own);
    fb_caches_detect(&caches);
    fb_tuning_fit(t, caches.assumed ? own.l2_bytes : caches.l2_bytes,
                  caches.assumed ? own.l3_bytes : caches.l3_bytes);
}

void fb_tuning_of_machine(struct fb_tuning *out)
{
    fb_tuning_detect(out);
    set_caches(out);
}

static enum fb_exit refuse_name(const char *given)
{
    const char *names[16] = {NULL};
    char list[200] = "";
    for (size_t i = 0; i < fb_n_tunings() && i < 15; i++) {
        names[i] = fb_tuning_at(i)->name;
        fb_append(list, sizeof list, "%s%s", i ? ", " : "", names[i]);
    }
    fb_error("no tuning '%s'%s, and no such file; there are %s", given,
             fb_did_you_mean(given, names, sizeof *names), list);
    return FB_EXIT_USAGE;
}

void fb_tuning_source_close(struct fb_tuning_source *s)
{
    free(s->path);
    free(s->forced);
    *s = (struct fb_tuning_source){.from = "processor"};
}

enum fb_exit fb_tuning_find_given(const char *given, struct fb_tuning_source *out)
{
    static const char force[] = "force:";
    const bool forced = given && !strncmp(given, force, sizeof force - 1);
    const struct fb_tuning *row = given ? fb_tuning_find(given) : NULL;
    const char *path = forced ? given + sizeof force - 1 : given;
    *out = (struct fb_tuning_source){.from = "processor"};
    fb_tuning_of_machine(&out->tuning);
    if (row) {
        const struct fb_tuning here = out->tuning;
        out->tuning = *row;
        fb_tuning_fit(&out->tuning, here.l2_bytes, here.l3_bytes);
        out->from = "name";
    } else if (forced || (given && (strchr(given, '/') || !access(given, F_OK)))) {
        const enum fb_exit code = fb_tuning_load(path, &out->tuning, forced ? &out->forced : NULL);
        if (code)
            return code;
        out->from = "file";
        out->path = strdup(path);
    } else if (given && *given) {
        return refuse_name(given);
    }
    return FB_EXIT_OK;
}

enum fb_exit fb_tuning_begin(const char *given)
{
    struct fb_tuning_source source;
    enum fb_exit code = fb_tuning_find_given(given, &source);
    const enum fb_err err = code ? FB_OK : fb_tuning_use(&source.tuning);
    if (err)
        code = fb_fail("FB_TUNING", err, NULL);
    if (code) {
        fb_tuning_source_close(&source);
        return code;
    }
    fb_tuning_source_close(&in_force);
    in_force = source;
    return FB_EXIT_OK;
}

/* ---- Told ---- */

json_t *fb_tuning_json(void)
{
    const struct fb_tuning *t = fb_tuning_now();
    json_t *j = json_pack("{s:s, s:s}", "name", t->name, "from", in_force.from);
    if (in_force.path)
        json_object_set_new(j, "path", fb_json_text(in_force.path));
    if (in_force.forced)
        json_object_set_new(j, "forced", fb_json_text(in_force.forced));
    set_tuning(j, t);
    return j;
}

void fb_tuning_say(const json_t *tuning, char *out, size_t size)
{
    const char *path = fb_json_str(tuning, "path"), *forced = fb_json_str(tuning, "forced");
    snprintf(out, size, "%s%s%s%s%s%s", fb_json_str(tuning, "name"), *path ? " (" : "", path,
             *forced ? ", of another machine, " : "", forced, *path ? ")" : "");
}
