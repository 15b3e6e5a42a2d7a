#include "harness/verb/explain.h"

#include <string.h>

#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/screen.h"
#include "harness/base/table.h"
#include "harness/document/members.h"
#include "harness/document/result.h"
#include "harness/verb/words.h"

enum { PATH = 256 };

static struct {
    const char *kind;
    json_t *places;  /* of the objects in the document: {address: "cells.fpr"} */
    json_t *columns; /* {what they mean and show: {titles, meaning, path, member}} */
} noted;

/* ---- Which member a column shows ---- */

static void address_of(const json_t *object, char out[24])
{
    snprintf(out, 24, "%p", (const void *)object);
}

static void note_places(const json_t *value, const char *path)
{
    char address[24], inner[PATH];
    FB_EACH(one, value)
        note_places(one, path);
    if (!json_is_object(value))
        return;
    address_of(value, address);
    json_object_set_new(noted.places, address, json_string(path));
    FB_EACH_MEMBER(name, one, value) {
        snprintf(inner, sizeof inner, "%.120s%s%.120s", path, *path ? "." : "", name);
        note_places(one, inner);
    }
}

static void join(char path[PATH], const char *more)
{
    if (more && *more)
        fb_append(path, PATH, "%s%s", *path ? "." : "", more);
}

/* The place in the document of what a row has at `path`: of the innermost object on the way that is
 * the document's own, with the rest of the path. A row may hold parts of several cells. */
static bool place_of(const json_t *row, const char *path, char out[PATH])
{
    char address[24], name[80];
    const json_t *object = row, *inner;
    for (;;) {
        const size_t len = strcspn(path, ".");
        snprintf(name, sizeof name, "%.*s", (int)len, path);
        inner = json_object_get(object, name);
        if (!json_is_object(inner))
            break;
        object = inner;
        path += len + (path[len] == '.');
    }
    address_of(object, address);
    const char *place = json_string_value(json_object_get(noted.places, address));
    snprintf(out, PATH, "%s", place ? place : "");
    join(out, path);
    return place != NULL;
}

/* The member that a column shows, with its path; NULL: none that the document has. */
static const json_t *member_of(const struct fb_column *c, const json_t *rows, char path[PATH])
{
    const char *from = c->path ? c->path : "";
    const json_t *member = NULL;
    FB_EACH(row, rows) {
        if (member || !place_of(row, from, path))
            continue;
        join(path, c->member);
        member = fb_member_at(noted.kind, path);
        if (member)
            return member;
    }
    snprintf(path, PATH, "cells");
    join(path, c->member ? c->member : from);
    return strchr(path, '.') ? fb_member_at(noted.kind, path) : NULL;
}

/* The number with its interval is told of its value and of its ends. */
static const json_t *whole_of(const json_t *member, char path[PATH])
{
    static const char *const parts[] = {".value", ".low", ".high", NULL};
    for (size_t i = 0; parts[i]; i++) {
        char *end = strrchr(path, '.');
        if (!member || !end || strcmp(end, parts[i]) != 0)
            continue;
        *end = '\0';
        const json_t *whole = fb_member_at(noted.kind, path);
        if (strcmp(fb_json_str(whole, "x-type"), "record") != 0)
            return whole;
        *end = '.';
    }
    return member;
}

/* ---- Columns ---- */

static void note_column(void *self, const struct fb_column *c, const json_t *rows)
{
    char path[PATH] = "", key[2 * PATH];
    const json_t *member = whole_of(member_of(c, rows, path), path);
    const char *title = *c->title ? c->title : "(without a title)";
    json_auto_t *word = fb_words_glossary(title);
    const char *meaning = fb_json_str(word, "meaning");
    (void)self;
    snprintf(key, sizeof key, "%.200s %.200s", member ? path : "", meaning);
    if (!member && !word)
        snprintf(key, sizeof key, "%.200s", title);
    json_t *column = json_object_get(noted.columns, key);
    if (!column) {
        column = json_pack("{s:{}, s:O?, s:s?, s:O?}", "titles", "meaning",
                           json_object_get(word, "meaning"), "path", member ? path : NULL, "member",
                           (json_t *)member);
        json_object_set_new(noted.columns, key, column);
    }
    json_object_set_new(json_object_get(column, "titles"), title, json_true());
}

void fb_explain_begin(const json_t *document)
{
    json_auto_t *runs = fb_documents_within(document);
    noted.kind = fb_json_str(document, "kind");
    noted.places = json_object();
    noted.columns = json_object();
    FB_EACH(run, runs)
        note_places(run, "");
    fb_table_tell(note_column, NULL);
}

/* "time.median (ns): median over all rounds": a member of a cell as `describe` takes it. */
static void print_member(FILE *file, const json_t *column)
{
    const char *path = fb_json_str(column, "path");
    const json_t *member = json_object_get(column, "member");
    const char *unit = fb_json_str(member, "x-unit"), *type = fb_json_str(member, "x-type");
    if (!*unit)
        unit = *type == '\'' ? "text" : type;
    const int len = (int)strcspn(unit, unit == type ? " |" : "");
    if (!strncmp(path, "cells.", strlen("cells.")))
        path += strlen("cells.");
    fb_say(file, 4, "    %s (%.*s): %s\n", path, len, unit, fb_json_str(member, "description"));
}

void fb_explain_end(FILE *file)
{
    fb_table_tell(NULL, NULL);
    fputs("\nColumns, and the members of the result that they show:\n", file);
    FB_EACH_MEMBER(key, column, noted.columns) {
        size_t n = 0;
        fputc('\n', file);
        FB_EACH_MEMBER(title, value, json_object_get(column, "titles"))
            fprintf(file, "%s%s", n++ ? "  " : "", title);
        fputc('\n', file);
        if (json_is_string(json_object_get(column, "meaning")))
            fb_say(file, 4, "    %s\n", fb_json_str(column, "meaning"));
        if (json_is_object(json_object_get(column, "member")))
            print_member(file, column);
    }
    json_decref(noted.places);
    json_decref(noted.columns);
}
