#include "harness/verb/words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filters/lookup/lookup.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/filter/attack.h"
#include "harness/kind/claims/ledger.h"
#include "harness/store/allocation.h"
#include "harness/store/device.h"
#include "workloads/core/queries.h"
#include "workloads/core/rng.h"

/* ---- About one ---- */

/* The key as text, or in hexadecimal where it is none. */
static json_t *key_json(const uint8_t *key, size_t len)
{
    bool text = true;
    for (size_t i = 0; i < len; i++)
        text = text && key[i] >= ' ' && key[i] <= '~';
    if (text)
        return json_stringn((const char *)key, len);
    char hex[2 * 40 + 4] = "";
    for (size_t i = 0; i < len && i < 40; i++)
        snprintf(hex + 2 * i, 3, "%02x", key[i]);
    if (len > 40)
        strcat(hex, "...");
    return json_string(hex);
}

static json_t *examples_of(const struct fb_keygen *gen)
{
    static const uint64_t indices[] = {0, 1, 2, 999999, 1000000};
    const uint64_t stream = fb_stream_key(1, FB_DOMAIN_KEYS, 0);
    json_t *rows = json_array();
    uint8_t *key = malloc(gen->max_len);
    for (size_t i = 0; key && i < sizeof indices / sizeof *indices; i++) {
        size_t len = gen->write(gen, stream, indices[i], key);
        json_array_append_new(rows, json_pack("{s:I, s:I, s:o}", "index", (json_int_t)indices[i],
                                              "bytes", (json_int_t)len, "key", key_json(key, len)));
    }
    free(key);
    return rows;
}

static json_t *format_json(const char *name)
{
    struct fb_keygen gen;
    const char *why;
    const struct fb_keygen *row = fb_named(name, fb_keygens, sizeof *fb_keygens);
    if (!fb_keygen_parse(row ? row->text : name, &gen, &why))
        return NULL;
    return json_pack("{s:s, s:s, s:s, s:I, s:b, s:b, s:o}", "format", gen.name, "summary",
                     gen.summary, "example_of", gen.text, "max_bytes", (json_int_t)gen.max_len,
                     "sorted_by_index", gen.ordered, "differs_by_seed", gen.uses_stream, "keys",
                     examples_of(&gen));
}

static json_t *effective_of(struct fb_popularity *p)
{
    static const uint64_t sizes[] = {1000, 1000000, 1000000000};
    json_t *rows = json_array();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t rank;
        fb_popularity_init(p, sizes[i]);
        double top = fb_popularity_top(p, 0, &rank);
        json_array_append_new(rows, json_pack("{s:I, s:f, s:o}", "keys", (json_int_t)sizes[i],
                                              "effective_keys", fb_popularity_effective(p),
                                              "share_of_the_first",
                                              top > 0 ? json_real(top) : json_null()));
    }
    return rows;
}

static json_t *popularity_json(const char *text)
{
    const struct fb_popularity_name *name = fb_popularity_names;
    struct fb_popularity p;
    const char *why;
    if (!fb_popularity_parse(text, &p, &why))
        return NULL;
    while (name->kind != p.kind)
        name++;
    return json_pack("{s:s, s:s, s:o}", "popularity", text, "summary", name->summary, "sizes",
                     effective_of(&p));
}

static json_t *lookup_json(const char *name)
{
    const struct fb_lookup *l = fb_lookup_find(name);
    return l ? json_pack("{s:s, s:s, s:b, s:b}", "lookup", l->name, "summary", l->summary,
                         "many_keys_at_a_time", l->batched, "probes_without_branch", l->branch_free)
             : NULL;
}

static json_t *device_json(const char *name)
{
    struct fb_device d;
    const char *why;
    if (fb_device_folder(name) || !fb_device_parse(name, &d, &why))
        return NULL;
    json_t *about = json_pack("{s:s, s:s, s:f, s:f}", "device", d.name, "summary",
                              "a read takes read_ns, what is beyond one block bytes_per_s more",
                              "read_ns", d.read_ns, "bytes_per_s", d.bytes_per_s);
    if (d.what)
        json_object_set_new(about, "assumed_of", json_string(d.what));
    return about;
}

/* ---- Lists ---- */

static void add(json_t *rows, const char *name, const char *summary)
{
    json_array_append_new(rows, json_pack("{s:s, s:s}", "name", name, "summary", summary));
}

static void list_formats(json_t *rows)
{
    for (const struct fb_keygen *g = fb_keygens; g->name; g++)
        add(rows, g->name, g->summary);
}

static void list_popularities(json_t *rows)
{
    for (const struct fb_popularity_name *p = fb_popularity_names; p->text; p++)
        add(rows, p->text, p->summary);
}

static void list_lookups(json_t *rows)
{
    for (const struct fb_lookup *const *l = fb_lookups; *l; l++)
        add(rows, (*l)->name, (*l)->summary);
}

static void list_devices(json_t *rows)
{
    for (const struct fb_device *d = fb_devices; *d->name; d++)
        json_array_append_new(rows, json_pack("{s:s, s:s, s:f, s:f}", "name", d->name, "assumed_of",
                                              d->what, "read_ns", d->read_ns, "bytes_per_s",
                                              d->bytes_per_s));
}

/* ---- What tables print, and claims ---- */

static void list_glossary(json_t *rows)
{
    json_auto_t *files = NULL;
    (void)fb_json_folder("results/glossary", &files);
    FB_EACH(entry, json_object_get(json_array_get(files, 0), "glossary"))
        FB_EACH(word, json_object_get(entry, "words"))
            add(rows, json_string_value(word), fb_json_str(entry, "meaning"));
}

/* Whether a word is that of the glossary: case, a "%" at the end and _ for a space do not count;
 * "<number>" stands for one. */
static bool same_word(const char *a, const char *b)
{
    static const char number[] = "<number>";
    for (;;) {
        const size_t digits = isdigit((unsigned char)*a) ? strspn(a, "0123456789.e-") : 0;
        if (digits && !strncmp(b, number, strlen(number))) {
            a += digits;
            b += strlen(number);
        } else if (*a && *b &&
                   (tolower((unsigned char)*a) == tolower((unsigned char)*b) ||
                    (*a == '_' && *b == ' '))) {
            a++;
            b++;
        } else {
            break;
        }
    }
    return (!*a || !strcmp(a, " %")) && (!*b || !strcmp(b, " %"));
}

json_t *fb_words_glossary(const char *word)
{
    json_t *rows = json_array(), *found = NULL;
    list_glossary(rows);
    FB_EACH(row, rows)
        if (!found && same_word(word, fb_json_str(row, "name")))
            found = json_pack("{s:O, s:O}", "word", json_object_get(row, "name"), "meaning",
                              json_object_get(row, "summary"));
    json_decref(rows);
    const char *behind = strstr(word, ": "); /* "L1: bits/key", a title of Markdown */
    return found || !behind ? found : fb_words_glossary(behind + strlen(": "));
}

/* And the ids that left the ledger, with the reason. */
static enum fb_exit collect_ledger(const char *name, json_t *rows)
{
    static const char *const members[] = {"id",    "document", "section", "kind",
                                          "claim", "claimed",  "model",   "measure",
                                          "needs", "source",   "note",    NULL};
    json_auto_t *documents = NULL;
    enum fb_exit code = fb_json_folder(fb_ledger_folder(name), &documents);
    FB_EACH(document, documents) {
        FB_EACH(claim, json_object_get(document, "claims")) {
            json_t *row = fb_json_members(claim, members);
            json_object_set_new(row, "ledger", json_string(name));
            json_array_append_new(rows, row);
        }
        FB_EACH(claim, json_object_get(document, "retired"))
            json_array_append_new(rows, json_pack("{s:O?, s:O?, s:s, s:O?, s:s}", "id",
                                                  json_object_get(claim, "id"), "document",
                                                  json_object_get(document, "document"), "kind",
                                                  "retired", "claim",
                                                  json_object_get(claim, "left"), "ledger", name));
    }
    return code;
}

enum fb_exit fb_words_claims(json_t *rows)
{
    enum fb_exit code = FB_EXIT_OK;
    for (const char *const *name = fb_ledger_names; *name && !code; name++)
        code = collect_ledger(*name, rows);
    return code;
}

static json_t *claim_json(const char *id)
{
    json_t *rows = json_array(), *found = NULL;
    (void)fb_words_claims(rows);
    FB_EACH(row, rows)
        if (!strcmp(fb_json_str(row, "id"), id))
            found = json_incref(row);
    json_decref(rows);
    if (found && strcmp(fb_json_str(found, "kind"), "retired") != 0)
        json_object_set_new(
            found, "to_judge_it",
            json_sprintf("filterbench reproduce --ledger %s %s", fb_json_str(found, "ledger"), id));
    return found;
}

/* ---- All kinds of words ---- */

static const struct kind {
    const char *topic;
    void (*list)(json_t *rows); /* NULL: `words` are all there is */
    json_t *(*about)(const char *word);
    const struct fb_word *words;
    const char *called, *told; /* members of what is told of such a word */
} kinds[] = {
    {"formats", .list = list_formats, .about = format_json},
    {"key files", .words = fb_keyformats, .called = "key_file", .told = "summary"},
    {"popularities", .list = list_popularities, .about = popularity_json},
    {"absent", .words = fb_absent_kinds, .called = "absent", .told = "summary"},
    {"attacks", .words = fb_attacks, .called = "attack", .told = "summary"},
    {"lookups", .list = list_lookups, .about = lookup_json},
    {"allocations", .words = fb_allocations, .called = "allocation", .told = "filter_memory"},
    {"devices", .list = list_devices, .about = device_json},
    {"words", .list = list_glossary, .about = fb_words_glossary},
    {"claims", .about = claim_json},
    {0},
};

void fb_words_list(const char *topic, json_t *rows)
{
    for (const struct kind *k = kinds; k->topic; k++) {
        if (topic && strcmp(topic, k->topic) != 0)
            continue;
        for (const struct fb_word *w = k->words; w && w->name; w++)
            add(rows, w->name, w->summary);
        if (k->list)
            k->list(rows);
    }
}

static json_t *about(const struct kind *k, const char *word)
{
    if (k->about)
        return k->about(word);
    const struct fb_word *w = fb_named(word, k->words, sizeof *k->words);
    return w ? json_pack("{s:s, s:s}", k->called, w->name, k->told, w->summary) : NULL;
}

json_t *fb_words_about(const char *word)
{
    json_t *document = NULL;
    for (const struct kind *k = kinds; k->topic; k++) {
        json_t *one = about(k, word);
        if (document)
            json_object_update_new(document, one); /* "uniform": a popularity and an allocation */
        else
            document = one;
    }
    return document;
}

json_t *fb_words_sizing(const struct fb_design *design)
{
    json_t *ways = json_array();
    if (design->traits & FB_ONE_SIZE)
        json_array_append_new(ways, json_string("keys"));
    else if (design->traits & FB_SIZES_BY_BITS)
        json_array_append_new(ways, json_string("bits"));
    if (design->traits & FB_SIZES_BY_RATE)
        json_array_append_new(ways, json_string("rate"));
    return ways;
}
