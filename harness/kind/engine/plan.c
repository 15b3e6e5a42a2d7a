/* Experiments of kind "engine": their fields, cells and keys. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/document/io_profile.h"
#include "harness/kind/engine/gets.h"
#include "harness/tree/read_path.h"

/* ---- Fields ---- */

const struct fb_word fb_gets_reads[] = {
    {.name = "page-cache"}, {.name = "mapped"}, {.name = "direct"}, {.name = "block-cache"}, {0}};

const struct fb_word fb_gets_seeks[] = {{.name = "held"}, {.name = "live"}, {0}};

static bool is_engine(const char *text, const char **why)
{
    *why = "give leveldb or rocksdb";
    return fb_engine_find(text) != NULL;
}

const struct fb_field fb_gets_fields[] = {
    FB_FIELDS_FIRST("engine", "engine"),
    FB_FIELD("engine", "\"leveldb\"", fb_read_grammar, .valid = is_engine, FB_KNOWN(fb_engines),
             .accepted = "leveldb or rocksdb", .meaning = "the storage engine that is asked"),
    FB_FIELD_DESIGNS("[\"leveldb\"]"),
    FB_FIELD_REALS("bits_per_key", "[10]", 1, 100, false, "a number from 1 to 100",
                   .meaning = "size of the filters: bits of memory for each key",
                   .of = "bits per key", .example = "[8, 12]"),
    FB_FIELD_KEYS,
    FB_FIELD_COUNT("n", "200000", 2, 1e9, "a count of keys from 2 to 1000000000",
                   .meaning = "how many keys are put; of a file at most half of its keys",
                   .of = "keys", .example = "1000000"),
    FB_FIELD_BYTES("value_bytes", "100", 0, 65536, "bytes of a value up to 65536",
                   .meaning = "length of a value", .of = "bytes", .example = "1000"),
    FB_FIELD_WORD("order", "\"shuffle\"", fb_orders, "order",
                  .meaning = "in which order keys are put: shuffle (at random), arrival "
                             "(ascending, absent keys between them) or dense (ascending, absent "
                             "keys behind them)"),
    FB_FIELD_COUNT("queries", "100000", 1, 1e9, "a count from 1 to 1000000000",
                   .meaning = "how many Gets of absent keys there are, and of present ones as many",
                   .of = "queries", .example = "10000"),
    FB_FIELD_SHARE("absent", "0.5", 0, 1, "a share from 0 to 1", .later = true,
                   .meaning = "share of absent keys among the Gets that are timed mixed",
                   .of = "a share", .example = "0.9"),
    FB_FIELD_BYTES("block_bytes", "4096", 1024, 1 << 22, "bytes of a data block from 1024 to 4Mi",
                   .meaning = "size of a data block, what one read fetches", .of = "bytes",
                   .example = "16384"),
    FB_FIELD_WORDS("filter_residency", "[\"pinned\"]", fb_residencies, "residency", true,
                   .later = true,
                   .meaning = "where filters and indexes are: beside the open tables (pinned), in "
                              "the block cache (cached), or there in parts of 4 KiB (partitioned)",
                   .example = "[\"pinned\", \"partitioned\"]"),
    FB_FIELD_WORDS("reads", "[\"page-cache\"]", fb_gets_reads, "reads", true, .later = true,
                   .meaning = "where data blocks come from: the page cache by a system call "
                              "(page-cache) or mapped into memory (mapped), the drive by O_DIRECT "
                              "(direct), or the engine's block cache (block-cache)",
                   .example = "[\"page-cache\", \"direct\"]"),
    FB_FIELD_WORD("seeks", "\"held\"", fb_gets_seeks, "way of seeks", .later = true,
                  .meaning = "whether LevelDB may compact tables that Gets look into in vain: held "
                             "keeps the tables as they are, live lets it and counts what is read",
                  .example = "\"live\""),
    FB_FIELD_BYTES("cache_bytes", "0", 0, 1e12, "bytes of a block cache up to 1e12", .later = true,
                   .meaning = "size of the engine's block cache, which takes data blocks as well",
                   .of = "bytes", .example = "\"8Mi\""),
    FB_FIELD_FLAG("cache_fits", "true", .later = true,
                  .meaning = "true: the block cache is made large enough for all filters and data "
                             "blocks that belong in it; false: it has cache_bytes and no more"),
    FB_FIELD_BYTES("write_buffer_bytes", "1048576", 65536, 1 << 30,
                   "bytes of a memtable from 64Ki to 1Gi",
                   .meaning = "what is put before it becomes a table of level 0", .of = "bytes",
                   .example = "4194304"),
    FB_FIELD_BYTES("file_bytes", "2097152", 1 << 20, 1 << 30, "bytes of a table from 1Mi to 1Gi",
                   .meaning = "size of a table below level 0", .of = "bytes", .example = "4194304"),
    FB_FIELD_FLAG("whole", "false",
                  .meaning = "whether all tables are merged into one level before any Get; false: "
                             "they are where the engine leaves them once it rests"),
    FB_FIELD_SEED,
    {0},
};

bool fb_gets_resolve(const json_t *given, struct fb_gets *out, struct fb_problem *problem)
{
    fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    const json_t *d = out->document = fb_fields_resolve(fb_gets_fields, given, problem);
    if (!d)
        return false;
    out->engine = fb_engine_find(fb_json_str(d, "engine"));
    out->n = fb_json_uint(d, "n");
    out->value_bytes = fb_json_uint(d, "value_bytes");
    out->queries = fb_json_uint(d, "queries");
    out->absent = fb_json_num(d, "absent");
    out->seed = strtoull(fb_json_str(d, "seed"), NULL, 16);
    out->cache_fits = json_is_true(json_object_get(d, "cache_fits"));
    if (!out->cache_fits && !fb_json_uint(d, "cache_bytes"))
        return fb_refuse(problem, "cache_fits: there is no cache; give cache_bytes too, 1Mi");
    out->whole = json_is_true(json_object_get(d, "whole"));
    out->live = fb_word_find(fb_gets_seeks, fb_json_str(d, "seeks")) == 1;
    out->options = (struct fb_engine_options){
        .block_bytes = fb_json_uint(d, "block_bytes"),
        .write_buffer_bytes = fb_json_uint(d, "write_buffer_bytes"),
        .file_bytes = fb_json_uint(d, "file_bytes"),
        .cache_bytes = fb_json_uint(d, "cache_bytes"),
    };
    return true;
}

void fb_gets_close(void *self)
{
    struct fb_gets *g = self;
    json_decref(g->document);
    json_decref(g->profile);
    fb_user_keys_close(&g->user);
    free(g->cells);
    memset(g, 0, sizeof *g);
}

/* ---- Cells ---- */

static const struct fb_engine_filter *own_filter(const struct fb_gets *g, const char *design)
{
    const struct fb_engine_filter *own = g->driver->filters;
    while (own->name && strcmp(own->design, design) != 0)
        own++;
    return own->name ? own : NULL;
}

struct fb_params fb_gets_params(const struct fb_gets_cell *cell)
{
    const bool sized = fb_design_sized(cell->design);
    return (struct fb_params){.bits_per_key = sized ? cell->bits_per_key : 0};
}

/* Bytes of an entry beside key and value, its part of index, filter and log included. */
enum { BESIDE_ENTRY = 24 };

/* With keys and values, what the tables of a database take; indexes and filters of it. */
static uint64_t table_bytes(const struct fb_gets *g)
{
    return g->space.n_present * (g->space.max_len + g->value_bytes + BESIDE_ENTRY);
}

static uint64_t metadata_bytes(const struct fb_gets *g, const struct fb_gets_cell *cell)
{
    const double blocks = (double)table_bytes(g) / (double)g->options.block_bytes;
    return (uint64_t)(blocks * (double)(g->space.max_len + BESIDE_ENTRY) +
                      cell->bits_per_key / 8 * (double)g->space.n_present);
}

/* Filters and indexes have half of RocksDB's block cache for themselves, which is cut into shards:
 * twice as much as they need again, since shards fill unequally. */
static uint64_t cache_bytes(const struct fb_gets *g, const struct fb_gets_cell *cell)
{
    const uint64_t least = UINT64_C(8) << 20;
    uint64_t needed = 0;
    if (!g->cache_fits)
        return g->options.cache_bytes;
    if (cell->residency != FB_ENGINE_PINNED)
        needed = fb_max_u64(least, 4 * metadata_bytes(g, cell));
    if (cell->read == FB_GETS_BLOCK_CACHE)
        needed += fb_max_u64(least, 4 * table_bytes(g));
    return fb_max_u64(needed, g->options.cache_bytes);
}

struct fb_engine_options fb_gets_options(const struct fb_gets *g, const struct fb_gets_cell *cell,
                                         const char *folder, bool counted, struct fb_policy *policy)
{
    static const enum fb_engine_read reads[] = {[FB_GETS_PAGE_CACHE] = FB_ENGINE_CALL,
                                                [FB_GETS_MAPPED] = FB_ENGINE_MAP,
                                                [FB_GETS_DIRECT] = FB_ENGINE_DIRECT,
                                                [FB_GETS_BLOCK_CACHE] = FB_ENGINE_CALL};
    const struct fb_params params = fb_gets_params(cell);
    struct fb_engine_options options = g->options;
    fb_policy_open(cell->design, &params, cell->as ? cell->as->policy : NULL, policy);
    options.folder = folder;
    options.bits_per_key = cell->bits_per_key;
    options.filter = cell->own ? cell->own->name : NULL;
    options.policy = cell->own ? NULL : &policy->policy;
    options.cache_bytes = cache_bytes(g, cell);
    options.residency = cell->residency;
    options.read = reads[cell->read];
    options.counted = counted;
    return options;
}

/* Keys of a data block, more or less. */
enum { FEW_KEYS = 32 };

static const char *why_not(const struct fb_gets *g, const struct fb_gets_cell *cell)
{
    struct fb_params params = fb_gets_params(cell);
    struct fb_geometry geom;
    const char *why = NULL;
    if (!g->driver->residencies[cell->residency])
        return "the engine has its filters in memory alone";
    if (g->live && !g->driver->seeks)
        return "Gets of this engine ask for no compactions; leave seeks=live out";
    if (cell->read == FB_GETS_DIRECT && !g->driver->reads[FB_ENGINE_DIRECT])
        return "the engine cannot read past the page cache";
    if (cell->own)
        return NULL;
    if (!g->driver->takes_policies)
        return "the engine takes its own filters only";
    why = fb_policy_why_not(cell->design);
    if (why)
        return why;
    const enum fb_err err = fb_params_plan(cell->design, FEW_KEYS, &params, &geom, &why);
    return !err ? NULL : why ? why : fb_err_text(err);
}

void fb_gets_name(const struct fb_design *design, const char *filter, double bits_per_key,
                  const char *residency, const char *read, char id[FB_GETS_ID])
{
    int n = snprintf(id, FB_GETS_ID, design->traits & FB_ONE_SIZE ? "%.50s" : "%.50s/bpk=%.15g",
                     filter, bits_per_key);
    if (strcmp(residency, fb_residencies[FB_ENGINE_PINNED].name) != 0)
        n += snprintf(id + n, FB_GETS_ID - (size_t)n, "/filters=%.12s", residency);
    if (strcmp(read, fb_gets_reads[FB_GETS_PAGE_CACHE].name) != 0)
        snprintf(id + n, FB_GETS_ID - (size_t)n, "/reads=%.12s", read);
}

/* Where the experiment wants its filters in parts, or not. */
static void add_cells(struct fb_gets *g, const struct fb_design *design,
                      const struct fb_engine_filter *own, double bits_per_key, bool parts)
{
    const json_t *residencies = json_object_get(g->document, "filter_residency");
    const json_t *reads = json_object_get(g->document, "reads");
    for (size_t f = 0; f < json_array_size(residencies); f++)
        for (size_t r = 0; r < json_array_size(reads); r++) {
            const char *in = json_string_value(json_array_get(residencies, f));
            const char *read = json_string_value(json_array_get(reads, r));
            struct fb_gets_cell *cell = &g->cells[g->n_cells];
            *cell = (struct fb_gets_cell){
                .design = design,
                .own = own,
                .as = own ? NULL : own_filter(g, design->name),
                .bits_per_key = bits_per_key,
                .residency = (enum fb_engine_residency)fb_word_find(fb_residencies, in),
                .read = (unsigned)fb_word_find(fb_gets_reads, read)};
            if ((cell->residency == FB_ENGINE_PARTITIONED) != parts)
                continue;
            g->n_cells++;
            cell->why = why_not(g, cell);
            if (design->traits & FB_ONE_SIZE)
                cell->bits_per_key = fb_design_own_bits(design, FEW_KEYS);
            fb_gets_name(design, own ? own->name : design->name, bits_per_key, in, read, cell->id);
        }
}

/* By size, and cells of the same files one behind the other: of each design the engine's own filter
 * first, whose database the policy of its name then reads. */
static bool make_cells(struct fb_gets *g)
{
    const json_t *designs = json_object_get(g->document, "designs");
    const json_t *sizes = json_object_get(g->document, "bits_per_key");
    const size_t ways = json_array_size(json_object_get(g->document, "filter_residency")) *
                        json_array_size(json_object_get(g->document, "reads"));
    const size_t n = 2 * json_array_size(designs) * json_array_size(sizes) * ways;
    g->cells = calloc(n + 1, sizeof *g->cells);
    for (size_t b = 0; g->cells && b < json_array_size(sizes); b++)
        for (size_t d = 0; d < json_array_size(designs); d++) {
            const struct fb_design *design =
                fb_design_find(json_string_value(json_array_get(designs, d)));
            const double bits = json_number_value(json_array_get(sizes, b));
            const struct fb_engine_filter *own = own_filter(g, design->name);
            if (b && design->traits & FB_ONE_SIZE)
                continue;
            for (int parts = 0; parts < 2; parts++) {
                if (own)
                    add_cells(g, design, own, bits, parts);
                if (!own || g->driver->takes_policies)
                    add_cells(g, design, NULL, bits, parts);
            }
        }
    return g->cells;
}

/* ---- Before a run ---- */

static enum fb_exit take_keys(struct fb_gets *g, const struct fb_run_options *o)
{
    struct fb_keygen keygen;
    const char *why, *keys = fb_json_str(g->document, "keys");
    const bool of_file = !strcmp(keys, "file");
    if (of_file != (o->keys != NULL)) {
        fb_error(of_file ? "%s: keys: they are those of a file; give it with --keys FILE"
                         : "%s: keys: the experiment does not ask for the file of --keys; name "
                           "\"file\" there",
                 o->name);
        return FB_EXIT_USAGE;
    }
    if (!of_file) {
        if (!fb_keygen_parse(keys, &keygen, &why))
            return fb_fail("keys", FB_EINVAL, why);
        const char *order = fb_json_str(g->document, "order");
        fb_keyspace_generate(&keygen, (enum fb_order)fb_word_find(fb_orders, order), g->n, g->seed,
                             &g->space);
        return FB_EXIT_OK;
    }
    const enum fb_exit code =
        fb_user_keys_load(o->keys, o->keys_format, FB_USER_KEYS_SORTED, &g->user);
    if (code)
        return code;
    const struct fb_keys *file = &g->user.distinct.keys;
    fb_keyspace_of_file(file, fb_min_u64(g->n, file->n / 2), g->seed, &g->space);
    return FB_EXIT_OK;
}

/* How many times as many keys make another database: more of its blocks are in caches. */
#define MUCH_LARGER 4

static enum fb_exit take_profile(struct fb_gets *g, const char *path)
{
    const double ours = (double)g->space.n_present;
    const enum fb_exit code =
        fb_io_profile_load(path, g->engine->name, (double)g->options.block_bytes, &g->profile);
    if (code)
        return code;
    const double its = fb_json_num(g->profile, "engine.n");
    if (strcmp(fb_json_str(g->profile, "engine.version"), g->driver->version) != 0)
        fb_note("%s: made with version %s of %s, and this is %s", path,
                fb_json_str(g->profile, "engine.version"), g->engine->name, g->driver->version);
    if (ours > MUCH_LARGER * its || its > MUCH_LARGER * ours)
        fb_note(
            "%s: made with %.0f keys, and these are %.0f; blocks of a small database are in the "
            "caches of the processor, and cost less",
            path, its, ours);
    if (g->whole != json_is_true(fb_json_at(g->profile, "experiment.whole")))
        fb_note(
            "%s: made with whole=%s, and here it is not: in a tree of one level a read costs up "
            "to a third less",
            path, g->whole ? "false" : "true");
    const double cache = fb_json_num(g->profile, "experiment.cache_bytes");
    if (cache != (double)g->options.cache_bytes)
        fb_note("%s: made with cache_bytes=%.0f, and here it is %.0f: a read costs more where its "
                "block goes into a block cache",
                path, cache, (double)g->options.cache_bytes);
    return FB_EXIT_OK;
}

enum fb_exit fb_gets_load(void *self, const struct fb_run_options *o, json_t **about)
{
    struct fb_gets *g = self;
    g->driver = fb_engine_load(g->engine);
    if (!g->driver)
        return FB_EXIT_USAGE;
    enum fb_exit code = take_keys(g, o);
    if (!code && o->io)
        code = take_profile(g, o->io);
    *about = json_incref(g->user.about);
    if (!code && !make_cells(g))
        code = fb_fail(o->name, FB_ENOMEM, NULL);
    return code;
}

uint64_t fb_gets_database_bytes(const struct fb_gets *g)
{
    return table_bytes(g) + 4 * g->options.write_buffer_bytes;
}
