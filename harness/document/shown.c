#include "harness/document/shown.h"

#include "harness/base/message.h"
#include "harness/base/screen.h"
#include "harness/filter/plugin.h"

static const struct fb_kind *kind_of(const json_t *document)
{
    return fb_kind_find(fb_json_str(document, "kind"));
}

/* A result of plugins' designs is read with them: with those that the user has named now, not with
 * what a document names. */
static const char *with_plugins(const char *path, char word[FB_CARD_TEXT])
{
    size_t n = strlen(path);
    json_auto_t *plugins = fb_plugins_json();
    FB_EACH(plugin, plugins) {
        char file[FB_CARD_TEXT];
        if (json_object_get(plugin, "prefix")) /* of ab, whose designs nobody else names */
            continue;
        n += (size_t)snprintf(word + n, FB_CARD_TEXT - n, " --plugin %s",
                              fb_card_quoted(fb_json_str(plugin, "path"), file));
        if (n >= FB_CARD_TEXT)
            break;
    }
    return word;
}

/* A filter that denies a key is no filter, whatever else was measured. */
static bool say_broken(const json_t *document, const char *path, struct fb_card *card)
{
    FB_EACH(warning, json_object_get(document, "warnings")) {
        if (strcmp(fb_json_str(warning, "code"), "false-negative") != 0)
            continue;
        fb_card_set(card, FB_CARD_ANSWER, "A filter denies keys that it holds: it is broken.");
        fb_card_set(card, FB_CARD_AMOUNT, "%s.", fb_json_str(warning, "detail"));
        fb_card_set(card, FB_CARD_SURE, "Sure: one key that is denied is enough.");
        if (path)
            fb_card_set(card, FB_CARD_NEXT, "filterbench show %s --verbose", path);
        card->verdict = "broken";
        return true;
    }
    return false;
}

void fb_card_fill(const json_t *document, const char *path, struct fb_card *card)
{
    const struct fb_kind *kind = kind_of(document);
    char word[FB_CARD_TEXT];
    path = path ? with_plugins(fb_card_quoted(path, word), word) : NULL;
    *card = (struct fb_card){0};
    if (say_broken(document, path, card))
        return;
    if (kind->card)
        kind->card(document, path, card);
    else if (kind->versus)
        fb_versus_card(document, path, card);
}

/* A shard has parts of cells, which no table shows. */
static void say_shard(FILE *file, const json_t *document)
{
    const size_t parts = json_array_size(json_object_get(document, "fragments"));
    struct fb_shard shard;
    char n[64];
    if (!fb_shard_read(document, &shard) || shard.of == 1)
        return;
    fb_say(file, 0, "shard %u of %u: %s", shard.index + 1, shard.of,
           fb_card_count(json_array_size(json_object_get(document, "cells")),
                         kind_of(document)->unit, n));
    if (parts)
        fb_say(file, 0, ", and its part of %zu more, which merge puts together", parts);
    fputc('\n', file);
}

/* How many cells of a merged document lack parts that shards not there have. */
static size_t cells_waiting(const json_t *document)
{
    json_auto_t *cells = fb_result_by_id(document), *waiting = json_object();
    FB_EACH_MEMBER(hash, run, json_object_get(document, "parts"))
        FB_EACH(fragment, json_object_get(run, "fragments"))
            if (!json_object_get(cells, fb_json_str(fragment, "id")))
                json_object_set(waiting, fb_json_str(fragment, "id"), fragment);
    FB_EACH(skip, json_object_get(document, "skipped"))
        json_object_del(waiting, fb_json_str(skip, "id"));
    return json_object_size(waiting);
}

static void say_merged(FILE *file, const json_t *document)
{
    const unsigned long long runs = fb_json_uint(document, "merged.runs");
    const unsigned long long machines = fb_json_uint(document, "merged.machines");
    const json_t *shards = fb_json_at(document, "merged.shards");
    char n[2][64];
    if (!fb_is_merged(document))
        return;
    fb_say(file, 0, "merged: %s of %s", fb_card_count(runs, "runs", n[0]),
           fb_card_count(machines, "machines", n[1]));
    if (json_is_object(shards))
        fb_say(file, 0, "; %zu of %llu shards", json_array_size(json_object_get(shards, "there")),
               (unsigned long long)fb_json_uint(shards, "of"));
    const size_t waiting = cells_waiting(document);
    if (waiting)
        fb_say(file, 0, "; %s wait%s for the others",
               fb_card_count(waiting, kind_of(document)->unit, n[0]), waiting == 1 ? "s" : "");
    fputc('\n', file);
}

static void print_tables(FILE *file, const json_t *document, const struct fb_shown *shown)
{
    struct fb_card card;
    json_auto_t *lines = NULL,
                *rows = shown->versus ? fb_versus_rows(document, shown->versus) : NULL;
    if (shown->style != FB_TABLE_DATA) {
        fb_card_fill(document, shown->path, &card);
        if (shown->interim || shown->style == FB_TABLE_MARKDOWN) /* to read, not to type from */
            *card.part[FB_CARD_NEXT] = '\0';
        lines = fb_card_lines(&card);
        fb_card_print(file, lines, shown->style == FB_TABLE_TEXT ? card.verdict : NULL);
    }
    if (rows)
        fb_versus_table(file, document, rows, shown->versus, shown->style);
    else
        kind_of(document)->table(file, document, shown->style);
    fb_table_tell_further(file);
}

static void print_one(FILE *file, const json_t *document, const struct fb_shown *shown)
{
    const enum fb_table_style style = shown->style;
    if (style == FB_TABLE_TEXT && json_is_false(fb_json_at(document, "run.complete")) &&
        !fb_is_merged(document))
        fb_say_verdict(
            file, 0, "INCOMPLETE",
            "INCOMPLETE: this run did not finish. Some of its measurements are missing.\n");
    if (style == FB_TABLE_TEXT)
        say_shard(file, document);
    const bool in_parts =
        fb_json_at(document, "run.shard") || json_is_object(fb_json_at(document, "merged.shards"));
    if (json_array_size(json_object_get(document, "cells")) || !in_parts)
        print_tables(file, document, shown);
}

enum fb_exit fb_versus_refused(const char *path, const json_t *document, const char *design)
{
    json_auto_t *runs = fb_documents_within(document);
    char word[FB_CARD_TEXT];
    bool any = false;
    fb_card_quoted(path, word);
    FB_EACH(run, runs) {
        json_auto_t *rows = fb_versus_rows(run, design);
        any |= rows != NULL;
    }
    if (any)
        return FB_EXIT_OK;
    if (kind_of(document)->versus)
        fb_error("%s: --versus %.40s: nothing here was measured of that design; `filterbench show "
                 "%s` lists the designs that were",
                 path, design, word);
    else
        fb_error("%s: --versus: a result of kind %s does not hold designs against each other; see "
                 "`filterbench show %s`",
                 path, kind_of(document)->name, word);
    return FB_EXIT_USAGE;
}

enum fb_exit fb_versus_take(json_t *documents, const json_t *names, const char *design)
{
    const bool several = json_array_size(documents) > 1;
    json_auto_t *drawn = json_array();
    enum fb_exit code = FB_EXIT_OK;
    FB_EACH_AT(i, document, documents) {
        const char *name = json_string_value(json_array_get(names, i));
        json_auto_t *runs = fb_documents_within(document);
        code = code ? code : fb_versus_refused(name, document, design);
        FB_EACH(run, runs)
            json_array_append_new(drawn, fb_versus_drawn(run, several ? name : "", design));
    }
    json_array_clear(documents);
    json_array_extend(documents, drawn);
    return code;
}

void fb_document_table(FILE *file, const json_t *document, const struct fb_shown *shown)
{
    json_auto_t *runs = fb_documents_within(document);
    if (shown->style == FB_TABLE_TEXT)
        say_merged(file, document);
    FB_EACH_AT(i, run, runs) {
        if (fb_is_side_by_side(document))
            fb_say(file, 0, "\nrun %zu of %zu: %s, %s\n", i + 1, json_array_size(runs),
                   fb_json_str(run, "machine.cpu_model"), fb_json_str(run, "run.started"));
        print_one(file, run, shown);
    }
}

static json_t *rows_of(const json_t *document)
{
    const struct fb_kind *kind = kind_of(document);
    return kind->rows ? kind->rows(document) : json_incref(json_object_get(document, "cells"));
}

json_t *fb_document_rows(const json_t *document)
{
    json_t *all = json_array(), *runs = fb_documents_within(document);
    FB_EACH(run, runs) {
        json_auto_t *rows = rows_of(run);
        FB_EACH(row, rows) {
            json_t *told = json_object();
            if (fb_is_side_by_side(document))
                json_object_set_new(told, "run",
                                    json_pack("{s:O?, s:O?}", "machine",
                                              fb_json_at(run, "machine.cpu_model"), "started",
                                              fb_json_at(run, "run.started")));
            json_object_update(told, row);
            json_array_append_new(all, told);
        }
    }
    json_decref(runs);
    return all;
}
