#include "harness/store/engine_words.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/filter.h"
#include "harness/base/json.h"

/* A design that an engine has. `word` is what its name is there; NULL: it has one only. */
struct offer {
    const char *engine, *design, *word, *note;
};

static const struct offer offers[] = {
    {"rocksdb", "rocksdb-fastlocal", "bloomfilter:%s:false;format_version=5",
     "RocksDB 9.2 and later size filters by the allocator: optimize_filters_for_memory=false gives "
     "the sizes of here"},
    {"rocksdb", "rocksdb-ribbon", "ribbonfilter:%s:-1;format_version=5",
     "the number is that of a Bloom filter of the same rate, Ribbon takes 0.7 of it; with :0 in "
     "the "
     "place of :-1 flushes build Bloom filters, which is faster"},
    {"rocksdb", "rocksdb-legacy", "bloomfilter:%s:false;format_version=4",
     "kept for old readers: format_version=5 has the better filter of the same size"},
    {"leveldb", "leveldb", NULL,
     "LevelDB has a filter for each 2 KiB of a table, not one for the table"},
    {"fjall", "fjall-3", NULL, "fjall 3, lsm-tree 3"},
    {"parquet", "sbbf-256", NULL, NULL},
    {"pebble", "rocksdb-legacy", NULL,
     "package bloom, its filters at 10 bits have the 6 probes of here; later releases keep 6 "
     "beyond, where these have more"},
    {0},
};

/* What is asked, as engines see it. */
struct split {
    const struct fb_engine_asked *asked;
    const struct offer *offer; /* of the engine, for the design; NULL: it does not have it */
    double bits;               /* of all levels that have filters, where they are alike */
    bool none, differ, lacks;  /* no filter at all; levels differ; only the last one has none */
    bool whole;                /* the engine takes whole bits */
};

/* ---- Numbers ---- */

enum { NUMBER = 32 };

/* 10 as "10", or "10.0" where the language wants a point; 9.6789 as "9.679". */
static const char *number(double bits, bool point, char out[NUMBER])
{
    int n = snprintf(out, NUMBER, "%.3f", bits);
    while (n > 0 && out[n - 1] == '0')
        out[--n] = 0;
    if (n > 0 && out[n - 1] == '.')
        snprintf(out + n - !point, NUMBER - (size_t)n, "%s", point ? "0" : "");
    return out;
}

/* What an engine that takes whole bits is told. */
static double told(const struct split *s, double bits)
{
    return s->whole && bits > 0 ? fmax(1, round(bits)) : bits;
}

static double of_level(const struct split *s, size_t level)
{
    return told(s, s->asked->level_bits ? s->asked->level_bits[level] : s->bits);
}

/* Engines that fill their seven levels from the last one up have a tree's levels there, level 0 in
 * front; those between are used when the tree grows, and get the bits of its first one. */
static double of_place(const struct split *s, size_t place)
{
    size_t n = s->asked->level_bits ? s->asked->n_levels : 1;
    size_t gap = FB_ENGINE_LEVELS - n, level = place > gap ? place - gap : 1;
    return of_level(s, place == 0 || n == 1 ? 0 : level);
}

/* ---- Each engine's words ---- */

static void rocksdb(FILE *out, const struct split *s)
{
    char bits[NUMBER];
    const char *hole = strstr(s->offer->word, "%s");
    fprintf(out, "%sblock_based_table_factory={filter_policy=%.*s%s%s;whole_key_filtering=true}",
            s->lacks ? "optimize_filters_for_hits=true;" : "", (int)(hole - s->offer->word),
            s->offer->word, number(s->bits, false, bits), hole + 2);
}

/* Defaults that differ from those of 7.8, which the driver here is built with. */
static void rocksdb_note(FILE *out, const struct split *s)
{
    (void)s;
    fputs("defaults since then: 8.4 sets level_compaction_dynamic_level_bytes, 10.7 has another "
          "block cache (HyperClockCache)",
          out);
}

static void leveldb(FILE *out, const struct split *s)
{
    fprintf(out, "options.filter_policy = leveldb::NewBloomFilterPolicy(%.0f);", told(s, s->bits));
}

static void fjall_entry(FILE *out, double bits)
{
    char text[NUMBER];
    if (bits > 0)
        fprintf(out, "FilterPolicyEntry::Bloom(BloomConstructionPolicy::BitsPerKey(%s))",
                number(bits, true, text));
    else
        fputs("FilterPolicyEntry::None", out);
}

static void fjall(FILE *out, const struct split *s)
{
    fputs("KeyspaceCreateOptions::default().filter_policy(FilterPolicy::", out);
    fputs(s->differ ? "new([" : "all(", out);
    for (size_t i = 0; i < (s->differ ? FB_ENGINE_LEVELS : 1); i++) {
        fputs(i ? ", " : "", out);
        fjall_entry(out, s->differ ? of_place(s, i) : s->bits);
    }
    fprintf(out, "%s%s", s->differ ? "]))" : "))", s->lacks ? ".expect_point_read_hits(true)" : "");
}

static void pebble(FILE *out, const struct split *s)
{
    if (!s->differ && !s->lacks) {
        fprintf(out,
                "for i := range opts.Levels { opts.Levels[i].FilterPolicy = "
                "bloom.FilterPolicy(%.0f) }",
                told(s, s->bits));
        return;
    }
    for (size_t i = 0; i < FB_ENGINE_LEVELS; i++) {
        double bits = of_place(s, i);
        fprintf(out, "%sopts.Levels[%zu].FilterPolicy = ", i ? "; " : "", i);
        if (bits > 0)
            fprintf(out, "bloom.FilterPolicy(%.0f)", bits);
        else
            fputs("nil", out);
    }
}

/* The rate of a split block filter of so many bits per key by the formula that sizes one, m = -8 n
 * / ln(1 - p^(1/8)): 10 bits are 0.00846. */
static double parquet_rate(double bits)
{
    return pow(1 - exp(-8 / bits), 8);
}

static void parquet(FILE *out, const struct split *s)
{
    fprintf(out, "fpp = %.3g, ndv = ", parquet_rate(s->bits));
    if (s->asked->n_keys)
        fprintf(out, "%llu", (unsigned long long)s->asked->n_keys);
    else
        fputs("distinct values of a row group", out);
}

/* What Arrow makes of it: sizes are powers of two. */
static void parquet_note(FILE *out, const struct split *s)
{
    const struct fb_design *design = fb_design_find("sbbf-256");
    struct fb_params params = {.fpr = parquet_rate(s->bits)};
    struct fb_geometry geom;
    const char *why;
    fputs("writers take the next power of two", out);
    if (s->asked->n_keys && design &&
        !fb_params_plan(design, s->asked->n_keys, &params, &geom, &why))
        fprintf(out, ": %.3g bits per key", 8.0 * (double)geom.n_bytes / (double)s->asked->n_keys);
    fputs("; parquet.bloom.filter.fpp#COLUMN and .expected.ndv#COLUMN in Java, "
          "set_column_bloom_filter_fpp and _ndv in Rust",
          out);
}

struct engine {
    const char *name, *title, *none; /* "rocksdb", "RocksDB", what to write for no filter */
    void (*words)(FILE *, const struct split *);
    void (*note)(FILE *, const struct split *); /* besides the offer's; NULL: none */
    bool each_level, last_may_lack, whole;
    const char *one_number; /* why levels cannot differ */
};

static const struct engine engines[] = {
    {"rocksdb", "RocksDB", "block_based_table_factory={filter_policy=nullptr}", rocksdb,
     rocksdb_note, false, true, false,
     "has one number for all levels, and optimize_filters_for_hits=true for none in the last; only "
     "a FilterPolicy in C++ may look at level_at_creation"},
    {"leveldb", "LevelDB", "options.filter_policy = nullptr;", leveldb, NULL, false, false, true,
     "has one number for all levels"},
    {"fjall", "fjall", "KeyspaceCreateOptions::default().filter_policy(FilterPolicy::disabled())",
     fjall, NULL, true, true, false, NULL},
    {"parquet", "Parquet", "leave the column's Bloom filter disabled", parquet, parquet_note, false,
     false, false, "has no levels"},
    {"pebble", "Pebble", "for i := range opts.Levels { opts.Levels[i].FilterPolicy = nil }", pebble,
     NULL, true, true, true, NULL},
};

/* ---- All together ---- */

static const struct offer *offer_of(const struct engine *engine, const char *design)
{
    for (const struct offer *o = offers; o->engine; o++)
        if (!strcmp(o->engine, engine->name) && !strcmp(o->design, design))
            return o;
    return NULL;
}

static struct split split_of(const struct fb_engine_asked *asked)
{
    struct split s = {.asked = asked, .bits = asked->bits_per_key};
    size_t n = asked->level_bits ? asked->n_levels : 0;
    if (n)
        s.bits = asked->level_bits[0];
    bool last_alike = true;
    for (size_t i = 1; i < n; i++) {
        bool alike = asked->level_bits[i] == s.bits;
        last_alike = alike;
        s.differ = s.differ || (!alike && i + 1 < n);
    }
    s.lacks = !s.differ && !last_alike && asked->level_bits[n - 1] == 0;
    s.differ = s.differ || (!last_alike && !s.lacks);
    s.none = !s.differ && !s.lacks && !(s.bits > 0);
    return s;
}

/* "RocksDB does not have it: its own are rocksdb-fastlocal, rocksdb-ribbon, rocksdb-legacy". */
static void tell_own(FILE *out, const struct engine *engine)
{
    const char *between = " does not have it; of the designs here it has ";
    fputs(engine->title, out);
    for (const struct offer *o = offers; o->engine; o++)
        if (!strcmp(o->engine, engine->name)) {
            fprintf(out, "%s%s", between, o->design);
            between = ", ";
        }
}

static void tell_note(FILE *out, const struct engine *engine, const struct split *s)
{
    const char *between = "";
    if (s->offer->note) {
        fputs(s->offer->note, out);
        between = "; ";
    }
    if (engine->note) {
        fputs(between, out);
        engine->note(out, s);
        between = "; ";
    }
    bool rounds = false;
    for (size_t i = 0; i < (s->asked->level_bits ? s->asked->n_levels : 1); i++) {
        double bits = s->asked->level_bits ? s->asked->level_bits[i] : s->bits;
        rounds = rounds || told(s, bits) != bits;
    }
    if (rounds) {
        fprintf(out, "%s%s takes whole bits", between, engine->title);
        between = "; ";
    }
    if (engine->each_level && s->differ)
        fprintf(out,
                "%sthe levels behind level 0 are filled from the last of seven up: a tree of %zu "
                "levels has its last %zu there",
                between, s->asked->n_levels, s->asked->n_levels - 1);
}

enum part { WORDS, REASON, NOTE };

/* One text of an engine; NULL: no memory. To be released. */
static char *tell(enum part part, const struct engine *engine, const struct split *s)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    if (!out)
        return NULL;
    if (part == WORDS && s->none)
        fputs(engine->none, out);
    else if (part == WORDS)
        engine->words(out, s);
    else if (part == REASON && !s->offer)
        tell_own(out, engine);
    else if (part == REASON)
        fprintf(out, "%s %s", engine->title, engine->one_number);
    else if (s->offer && !s->none)
        tell_note(out, engine, s);
    bool whole = !ferror(out);
    if (fclose(out) || !whole) {
        free(text);
        return NULL;
    }
    return text;
}

static json_t *words_of(const struct engine *engine, const struct split *given)
{
    struct split s = *given;
    s.offer = offer_of(engine, s.asked->design);
    s.whole = engine->whole;
    bool can = s.none || (s.offer && (engine->each_level || !s.differ) &&
                          (engine->last_may_lack || !s.lacks));
    char *text = tell(can ? WORDS : REASON, engine, &s);
    char *note = can ? tell(NOTE, engine, &s) : strdup("");
    json_t *row = NULL;
    if (text && note)
        row = json_pack("{s:s, s:s}", "engine", engine->name, "note", note);
    if (row)
        fb_json_known(row, "text", can ? json_string(text) : NULL, can ? NULL : text);
    free(text);
    free(note);
    return row;
}

json_t *fb_engine_words(const struct fb_engine_asked *asked)
{
    struct split s = split_of(asked);
    json_t *all = json_array();
    for (size_t i = 0; all && i < sizeof engines / sizeof *engines; i++) {
        json_t *row = words_of(&engines[i], &s);
        if (!row || json_array_append_new(all, row)) {
            json_decref(all);
            return NULL;
        }
    }
    return all;
}
