#define _DEFAULT_SOURCE /* madvise */
#include "harness/base/json.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "filters/hash/hash.h"
#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/printable.h"
#include "harness/base/quantity.h"

void fb_json_known(json_t *object, const char *name, json_t *value, const char *reason)
{
    char field[64];
    json_object_set_new(object, name, value ? value : json_null());
    if (value)
        return;
    snprintf(field, sizeof field, "%s_reason", name);
    json_object_set_new(object, field, json_string(reason));
}

void fb_json_real(json_t *object, const char *name, double value, const char *reason)
{
    fb_json_known(object, name, isfinite(value) ? json_real(value) : NULL, reason);
}

bool fb_json_is_reason(const char *name)
{
    size_t len = strlen(name);
    return len > 7 && !strcmp(name + len - 7, "_reason");
}

void fb_json_drop_reasons(json_t *value)
{
    const char *name;
    json_t *member;
    void *next;
    for (size_t i = 0; i < json_array_size(value); i++)
        fb_json_drop_reasons(json_array_get(value, i));
    json_object_foreach_safe(value, next, name, member) {
        if (fb_json_is_reason(name))
            json_object_del(value, name);
        else
            fb_json_drop_reasons(member);
    }
}

json_t *fb_json_int(uint64_t x)
{
    return json_integer((json_int_t)x);
}

json_t *fb_json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *fb_json_interval(double low, double high)
{
    return isfinite(low) && isfinite(high) ? json_pack("{s:f, s:f}", "low", low, "high", high)
                                           : NULL;
}

json_t *fb_json_text(const char *text)
{
    char *copy = strdup(text);
    json_t *string = copy ? json_string(fb_make_printable(copy, false)) : NULL;
    free(copy);
    return string;
}

json_t *fb_json_word(uint64_t word)
{
    char text[19];
    snprintf(text, sizeof text, "0x%016llx", (unsigned long long)word);
    return json_string(text);
}

void fb_json_set_counts(json_t *object, const struct fb_json_count *counts, const void *from)
{
    for (const struct fb_json_count *c = counts; c->name; c++) {
        uint64_t count;
        memcpy(&count, (const char *)from + c->offset, sizeof count);
        json_object_set_new(object, c->name, c->word ? fb_json_word(count) : fb_json_int(count));
    }
}

void fb_json_get_counts(const json_t *object, const struct fb_json_count *counts, void *to)
{
    for (const struct fb_json_count *c = counts; c->name; c++) {
        const uint64_t count = c->word ? strtoull(fb_json_str(object, c->name), NULL, 16)
                                       : fb_json_uint(object, c->name);
        memcpy((char *)to + c->offset, &count, sizeof count);
    }
}

json_t *fb_json_xxh3(const void *bytes, size_t n)
{
    uint64_t high, low;
    fb_xxh3_128(bytes, n, 0, &high, &low);
    return json_sprintf("%016llx%016llx", (unsigned long long)high, (unsigned long long)low);
}

static int hash_more(const char *bytes, size_t n, void *state)
{
    return XXH3_128bits_update(state, bytes, n) == XXH_OK ? 0 : -1;
}

bool fb_json_hash(const json_t *value, char hex[33])
{
    const size_t flags = JSON_SORT_KEYS | JSON_COMPACT | JSON_REAL_PRECISION(15);
    XXH3_state_t *state = XXH3_createState();
    const bool hashed = state && XXH3_128bits_reset(state) == XXH_OK &&
                        !json_dump_callback(value, hash_more, state, flags);
    if (hashed) {
        const XXH128_hash_t hash = XXH3_128bits_digest(state);
        snprintf(hex, 33, "%016llx%016llx", (unsigned long long)hash.high64,
                 (unsigned long long)hash.low64);
    }
    XXH3_freeState(state);
    return hashed;
}

const json_t *fb_json_at(const json_t *object, const char *path)
{
    char name[32];
    for (;;) {
        size_t len = strcspn(path, ".");
        snprintf(name, sizeof name, "%.*s", (int)len, path);
        object = json_object_get(object, name);
        if (!path[len])
            return object;
        path += len + 1;
    }
}

const char *fb_json_str(const json_t *object, const char *path)
{
    const char *text = json_string_value(fb_json_at(object, path));
    return text ? text : "";
}

double fb_json_num(const json_t *object, const char *path)
{
    const json_t *value = fb_json_at(object, path);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

uint64_t fb_json_uint(const json_t *object, const char *path)
{
    json_int_t x = json_integer_value(fb_json_at(object, path));
    return x > 0 ? (uint64_t)x : 0;
}

bool fb_json_lists(const json_t *list, const char *text)
{
    FB_EACH(each, list)
        if (json_is_string(each) && !strcmp(json_string_value(each), text))
            return true;
    return false;
}

bool fb_json_has(const json_t *list, const json_t *value)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_equal(json_array_get(list, i), value))
            return true;
    return false;
}

const json_t *fb_json_find(const json_t *list, const char *path, const char *text)
{
    FB_EACH(entry, list)
        if (!strcmp(fb_json_str(entry, path), text))
            return entry;
    return NULL;
}

bool fb_json_same(const json_t *a, const json_t *b, const char *const *paths)
{
    for (; *paths; paths++)
        if (!json_equal(fb_json_at(a, *paths), fb_json_at(b, *paths)))
            return false;
    return true;
}

/* Relative difference between machines' libraries that still counts as equal. */
#define TOLERANCE 1e-9

/* Standard errors between two numbers that agree to most of their digits: the rest of them is lost
 * where a document has fifteen. */
static bool is_near_z(const char *name, const json_t *a, const json_t *b)
{
    return !strcmp(name, "z") && json_is_real(a) && json_is_real(b) &&
           fabs(json_real_value(a) - json_real_value(b)) <= 1e-6;
}

bool fb_json_agree(const json_t *a, const json_t *b, const char **where)
{
    static char differing[80]; /* outlives the documents */
    if ((json_is_real(a) || json_is_real(b)) && json_is_number(a) && json_is_number(b)) {
        double x = json_number_value(a), y = json_number_value(b);
        return fabs(x - y) <= TOLERANCE * fmax(fabs(x), fabs(y)) + 1e-12;
    }
    if (json_is_array(a) && json_array_size(a) == json_array_size(b)) {
        bool all = true;
        for (size_t i = 0; all && i < json_array_size(a); i++)
            all = fb_json_agree(json_array_get(a, i), json_array_get(b, i), where);
        return all;
    }
    if (!json_is_object(a) || !json_is_object(b))
        return json_equal(a, b);
    FB_EACH_MEMBER(name, value, a) {
        if (fb_json_is_reason(name) || is_near_z(name, value, json_object_get(b, name)))
            continue;
        if (!fb_json_agree(value, json_object_get(b, name), where)) {
            char rest[sizeof differing / 2];
            snprintf(rest, sizeof rest, "%s%s", *where ? "." : "", *where ? *where : "");
            snprintf(differing, sizeof differing, "%.38s%s", name, rest);
            *where = differing;
            return false;
        }
    }
    return true;
}

static const double MOST_BYTES = 1 << 30; /* of a document, unless the environment says more */

/* Whether all texts and names in it are. *where: the name nearest to one that is not, borrowed. */
static bool is_printable(const json_t *value, const char *name, const char **where)
{
    const char *text = json_string_value(value);
    bool all = !text || !text[fb_printable_length(text)];
    *where = name;
    FB_EACH(member, value)
        all = all && is_printable(member, name, where);
    FB_EACH_MEMBER(key, member, value)
        all = all && !key[fb_printable_length(key)] && is_printable(member, key, where);
    return all;
}

/* Says so where a file is longer than a document may be. */
static bool is_too_long(const char *path)
{
    const char *set = getenv("FILTERBENCH_DOCUMENT_BYTES");
    double most = 0;
    struct stat about;
    if (!set || !fb_quantity_read(set, FB_UNIT_BYTES, &most) || most < 1)
        most = MOST_BYTES;
    if (!strcmp(path, "-") || stat(path, &about) || (double)about.st_size <= most)
        return false;
    fb_error("%s: it has %.0f bytes, and a document may have %.0f; set "
             "FILTERBENCH_DOCUMENT_BYTES=2Gi to read it",
             path, (double)about.st_size, most);
    return true;
}

/* A text that is parsed. The pages behind what was parsed, from `kept` on, go back to the system,
 * as values take several times the memory of their text. NULL: the text stays. */
struct text {
    const char *at;
    size_t left;
    char *kept;
};

static size_t give(void *buffer, size_t room, void *arg)
{
    enum { STEP = 1 << 20 }; /* a multiple of all sizes of pages */
    struct text *t = arg;
    const size_t n = room < t->left ? room : t->left;
    memcpy(buffer, t->at, n);
    t->at += n;
    t->left -= n;
    for (; t->kept && t->at - t->kept >= STEP; t->kept += STEP)
        (void)madvise(t->kept, STEP, MADV_DONTNEED);
    return n;
}

static json_t *parse(struct text t, size_t flags, char why[FB_JSON_WHY])
{
    json_error_t error;
    size_t blank = 0;
    while (blank < t.left && strchr(" \t\r\n", t.at[blank]) && t.at[blank])
        blank++;
    const bool empty = blank == t.left;
    json_t *json = json_load_callback(give, &t, JSON_REJECT_DUPLICATES | flags, &error);
    const char *unfit = NULL;
    if (json && is_printable(json, "", &unfit))
        return json;
    if (json)
        snprintf(why, FB_JSON_WHY, "%s%.60s%s has a character that is not printable",
                 *unfit ? "'" : "", *unfit ? unfit : "a text", *unfit ? "'" : "");
    else if (empty)
        snprintf(why, FB_JSON_WHY, "not JSON: it is empty");
    else /* jansson names its own flag there */
        snprintf(why, FB_JSON_WHY, "line %d: not JSON: %s", error.line,
                 strstr(error.text, "JSON_ALLOW_NUL") ? "a text with \\u0000, which is no character"
                                                      : error.text);
    json_decref(json);
    return NULL;
}

json_t *fb_json_parse(const char *text, size_t len, size_t flags, char why[FB_JSON_WHY])
{
    return parse((struct text){text, len, NULL}, flags, why);
}

enum fb_exit fb_json_load(const char *path, json_t **json)
{
    uint8_t *bytes;
    size_t n_bytes;
    char why[FB_JSON_WHY];
    *json = NULL;
    enum fb_exit code = is_too_long(path) ? FB_EXIT_USAGE : fb_file_read(path, &bytes, &n_bytes);
    if (code)
        return code;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), beyond = (uintptr_t)bytes % page;
    *json = parse((struct text){(char *)bytes, n_bytes, (char *)bytes + page - beyond}, 0, why);
    free(bytes);
    if (*json)
        return FB_EXIT_OK;
    fb_error("%s: %s", fb_file_name(path), why);
    return FB_EXIT_USAGE;
}

static int json_name(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && dot && !strcmp(dot, ".json");
}

enum fb_exit fb_json_folder(const char *folder, json_t **documents)
{
    char path[4096], file[4096 + 300];
    struct dirent **entries;
    enum fb_exit code = FB_EXIT_OK;
    *documents = json_array();
    fb_data_path(folder, path, sizeof path);
    int n = scandir(path, &entries, json_name, alphasort);
    for (int i = 0; i < n; i++) {
        json_t *document = NULL;
        snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
        code = code ? code : fb_json_load(file, &document);
        if (document)
            json_array_append_new(*documents, document);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return code;
}

json_t *fb_json_members(const json_t *object, const char *const *names)
{
    json_t *members = json_object();
    for (; *names; names++)
        json_object_set(members, *names, json_object_get(object, *names));
    return members;
}
