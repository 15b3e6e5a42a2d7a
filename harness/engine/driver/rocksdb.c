/*
 * RocksDB through its interface for C: a database on disk, counted by its perf context, and its
 * tables as they lie there.
 *
 * When a memtable of RocksDB's is full depends on the heights of its skip list, which are drawn
 * anew in every process. So memtables have room to spare here, and the driver flushes them itself
 * after write_buffer_bytes of entries: equal calls give equal tables.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rocksdb/c.h>

#include "harness/engine/driver/rocksdb_survey.h"
#include "harness/engine/sstable.h"

struct database {
    rocksdb_t *db;
    rocksdb_options_t *options;
    rocksdb_cache_t *cache; /* NULL: none */
    rocksdb_readoptions_t *reading;
    rocksdb_writeoptions_t *writing;
    rocksdb_flushoptions_t *flushing;
    rocksdb_perfcontext_t *perf; /* of the thread that opened it */
    char *folder;
    uint64_t write_buffer_bytes, unflushed_bytes;
    uint64_t gets, found;
    enum fb_engine_residency residency;
};

/* ---- Options ---- */

/* A filter, how an options string names it, and the format of tables that has it. */
static const struct own {
    const char *name, *policy;
    int format_version;
} own_filters[] = {
    {"bloom", "bloomfilter:%.17g:false", 5},
    {"ribbon", "ribbonfilter:%.17g:-1", 5},
    {"legacy", "bloomfilter:%.17g:false", 4},
};

/* Full memtables begin another on their own, which is not to happen before the driver flushes: an
 * entry of 9 bytes takes up to some 100 there. */
static uint64_t room_of(uint64_t write_buffer_bytes)
{
    return 16 * write_buffer_bytes + (UINT64_C(64) << 20);
}

enum { TEXT = 2000 };

static const char *yes(bool it_is)
{
    return it_is ? "true" : "false";
}

/* As RocksDB reads and writes options. Levels below 0 are ten times as large as the one before,
 * which is, of level 1, as large as the four tables of level 0 that are merged into it. */
static bool options_text(const struct fb_engine_options *o, bool is_new, char out[TEXT],
                         struct fb_engine_why *why)
{
    char policy[80] = "nullptr";
    int version = 5;
    const bool parts = o->residency == FB_ENGINE_PARTITIONED;
    if (o->policy)
        return fb_rocksdb_fail(why, o->policy->name, "RocksDB takes no filters from outside");
    if (o->filter) {
        const struct own *own = own_filters;
        while (strcmp(own->name, o->filter) != 0)
            own++;
        snprintf(policy, sizeof policy, own->policy, o->bits_per_key);
        version = own->format_version;
    }
    snprintf(out, TEXT,
             "create_if_missing=%s;error_if_exists=%s;disable_auto_compactions=%s;"
             "compression=kNoCompression;allow_mmap_reads=%s;use_direct_reads=%s;"
             "max_open_files=-1;max_background_jobs=2;max_background_compactions=1;"
             "max_background_flushes=1;max_subcompactions=1;allow_concurrent_memtable_write=false;"
             "write_buffer_size=%" PRIu64 ";target_file_size_base=%" PRIu64
             ";max_bytes_for_level_base=%" PRIu64 ";max_bytes_for_level_multiplier=10;"
             "level0_file_num_compaction_trigger=4;level_compaction_dynamic_level_bytes=false;"
             "compaction_style=kCompactionStyleLevel;optimize_filters_for_hits=false;"
             "stats_dump_period_sec=0;stats_persist_period_sec=0;info_log_level=WARN_LEVEL;"
             "block_based_table_factory={filter_policy=%s;format_version=%d;"
             "whole_key_filtering=true;optimize_filters_for_memory=false;partition_filters=%s;"
             "metadata_block_size=4096;index_type=%s;index_block_restart_interval=1;"
             "block_size=%" PRIu64 ";cache_index_and_filter_blocks=%s;}",
             yes(is_new), yes(is_new), yes(!is_new), yes(o->read == FB_ENGINE_MAP),
             yes(o->read == FB_ENGINE_DIRECT), room_of(o->write_buffer_bytes), o->file_bytes,
             4 * o->write_buffer_bytes, policy, version, yes(parts),
             parts ? "kTwoLevelIndexSearch" : "kBinarySearch", o->block_bytes,
             yes(o->residency != FB_ENGINE_PINNED));
    return true;
}

/* ---- Opening and closing ---- */

static void release(struct database *d)
{
    if (d->db)
        rocksdb_close(d->db);
    if (d->perf)
        rocksdb_perfcontext_destroy(d->perf);
    if (d->flushing)
        rocksdb_flushoptions_destroy(d->flushing);
    if (d->writing)
        rocksdb_writeoptions_destroy(d->writing);
    if (d->reading)
        rocksdb_readoptions_destroy(d->reading);
    if (d->options)
        rocksdb_options_destroy(d->options);
    if (d->cache)
        rocksdb_cache_destroy(d->cache);
    free(d->folder);
    free(d);
}

static bool make_options(struct database *d, const struct fb_engine_options *o, const char *text,
                         struct fb_engine_why *why)
{
    char *error = NULL;
    rocksdb_options_t *plain = rocksdb_options_create();
    rocksdb_block_based_table_options_t *table = rocksdb_block_based_options_create();
    if (o->cache_bytes) {
        d->cache = rocksdb_cache_create_lru(o->cache_bytes);
        rocksdb_block_based_options_set_block_cache(table, d->cache);
    }
    /* no_block_cache=true in the text would leave the cache that there is by default. */
    rocksdb_block_based_options_set_no_block_cache(table, !o->cache_bytes);
    rocksdb_options_set_block_based_table_factory(plain, table);
    rocksdb_block_based_options_destroy(table);
    d->options = rocksdb_options_create();
    rocksdb_get_options_from_string(plain, text, d->options, &error);
    rocksdb_options_destroy(plain);
    if (o->counted)
        rocksdb_options_enable_statistics(d->options);
    return fb_rocksdb_check(error, why);
}

static void *open_db(const struct fb_engine_options *o, bool is_new, struct fb_engine_why *why)
{
    char text[TEXT], *error = NULL;
    struct database *d = calloc(1, sizeof *d);
    if (!d || !(d->folder = strdup(o->folder))) {
        fb_rocksdb_fail(why, o->folder, "no memory");
        free(d);
        return NULL;
    }
    d->write_buffer_bytes = o->write_buffer_bytes;
    if (!options_text(o, is_new, text, why) || !make_options(d, o, text, why))
        goto failed;
    d->db = rocksdb_open(d->options, o->folder, &error);
    if (!fb_rocksdb_check(error, why))
        goto failed;
    d->reading = rocksdb_readoptions_create();
    d->writing = rocksdb_writeoptions_create();
    d->flushing = rocksdb_flushoptions_create();
    rocksdb_writeoptions_disable_WAL(d->writing, 1);
    rocksdb_flushoptions_set_wait(d->flushing, 1);
    rocksdb_set_perf_level(o->counted ? rocksdb_enable_count : rocksdb_disable);
    d->residency = o->residency;
    d->perf = rocksdb_perfcontext_create();
    rocksdb_perfcontext_reset(d->perf);
    return d;
failed:
    release(d);
    return NULL;
}

static bool close_db(void *self, struct fb_engine_why *why)
{
    (void)why;
    release(self);
    return true;
}

/* ---- Loading ---- */

static bool property(struct database *d, const char *name, uint64_t *out, struct fb_engine_why *why)
{
    return !rocksdb_property_int(d->db, name, out) ||
           fb_rocksdb_fail(why, name, "RocksDB does not tell");
}

/*
 * Until no flush or compaction runs or is due. The properties are asked one by one. What ran when
 * the first was asked and had ended when the last was has made another version of the tables, which
 * the two questions around the others see.
 */
static bool wait_for_rest(struct database *d, struct fb_engine_why *why)
{
    static const char *const names[] = {"rocksdb.num-immutable-mem-table",
                                        "rocksdb.num-running-flushes", "rocksdb.compaction-pending",
                                        "rocksdb.num-running-compactions"};
    static const char version[] = "rocksdb.current-super-version-number";
    for (;;) {
        const struct timespec pause = {.tv_nsec = 500000};
        uint64_t before, after, busy = 0, errors;
        if (!property(d, version, &before, why))
            return false;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            uint64_t count;
            if (!property(d, names[i], &count, why))
                return false;
            busy |= count;
        }
        if (!property(d, version, &after, why) ||
            !property(d, "rocksdb.background-errors", &errors, why))
            return false;
        if (errors)
            return fb_rocksdb_fail(why, d->folder, "RocksDB could not write its tables");
        if (!busy && before == after)
            return true;
        nanosleep(&pause, NULL);
    }
}

static bool flush(struct database *d, struct fb_engine_why *why)
{
    char *error = NULL;
    d->unflushed_bytes = 0;
    rocksdb_flush(d->db, d->flushing, &error);
    return fb_rocksdb_check(error, why) && wait_for_rest(d, why);
}

static bool write_batch(struct database *d, rocksdb_writebatch_t *batch, struct fb_engine_why *why)
{
    char *error = NULL;
    rocksdb_write(d->db, d->writing, batch, &error);
    rocksdb_writebatch_clear(batch);
    return fb_rocksdb_check(error, why);
}

static bool put(void *self, const struct fb_keys *keys, const uint8_t *values, size_t value_bytes,
                struct fb_engine_why *why)
{
    struct database *d = self;
    rocksdb_writebatch_t *batch = rocksdb_writebatch_create();
    bool done = true;
    for (size_t i = 0; i < keys->n && done; i++) {
        enum { NUMBER = 8 }; /* bytes of an entry beside key and value */
        const size_t len = fb_key_len(keys, i);
        rocksdb_writebatch_put(batch, (const char *)fb_key_at(keys, i), len,
                               (const char *)values + i * value_bytes, value_bytes);
        d->unflushed_bytes += len + value_bytes + NUMBER;
        if (d->unflushed_bytes >= d->write_buffer_bytes)
            done = write_batch(d, batch, why) && flush(d, why);
    }
    done = done && write_batch(d, batch, why);
    rocksdb_writebatch_destroy(batch);
    return done;
}

static bool rest(void *self, bool whole, struct fb_engine_why *why)
{
    struct database *d = self;
    if (!flush(d, why))
        return false;
    if (whole)
        rocksdb_compact_range(d->db, NULL, 0, NULL, 0);
    return wait_for_rest(d, why);
}

/* ---- Tables and Gets ---- */

static bool tables(void *self, const struct fb_engine_sink *sink, struct fb_engine_why *why)
{
    const struct database *d = self;
    const rocksdb_livefiles_t *files = rocksdb_livefiles(d->db);
    size_t n;
    struct fb_rocksdb_file *all = fb_rocksdb_files(files, "default", &n);
    bool done = all || fb_rocksdb_fail(why, d->folder, "no memory for its tables");
    /* RocksDB does not look at ranges where it has at most three tables, all in level 0
     * (FilePicker of db/version_set.cc). */
    const bool few = done && n <= 3 && (!n || !all[n - 1].level);
    for (size_t i = 0; i < n && done; i++) {
        struct fb_engine_table table = {
            .level = all[i].level, .number = all[i].number, .any_key = few, .reads_on = true};
        char path[4096];
        snprintf(path, sizeof path, "%s%s", d->folder, all[i].name);
        done = fb_sstable_tell(path, true, &table, sink, why);
    }
    free(all);
    rocksdb_livefiles_destroy(files);
    return done;
}

static enum fb_engine_answer get(void *self, const void *key, size_t len, struct fb_engine_why *why)
{
    struct database *d = self;
    char *error = NULL;
    rocksdb_pinnableslice_t *value = rocksdb_get_pinned(d->db, d->reading, key, len, &error);
    d->gets++;
    if (!fb_rocksdb_check(error, why))
        return FB_ENGINE_FAILED;
    if (!value)
        return FB_ENGINE_NOT_FOUND;
    d->found++;
    rocksdb_pinnableslice_destroy(value);
    return FB_ENGINE_FOUND;
}

/* Of the text of the perf context, "block_read_count = 5, ...": what is above 0. */
static uint64_t told(const char *report, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = report; at && (at = strstr(at, name)); at += n)
        if ((at == report || at[-1] == ' ') && !strncmp(at + n, " = ", 3))
            return strtoull(at + n + 3, NULL, 10);
    return 0;
}

static void counts(void *self, struct fb_engine_counts *out)
{
    struct database *d = self;
    const uint64_t maybe = rocksdb_perfcontext_metric(d->perf, rocksdb_bloom_sst_hit_count);
    const uint64_t no = rocksdb_perfcontext_metric(d->perf, rocksdb_bloom_sst_miss_count);
    *out = (struct fb_engine_counts){
        .gets = d->gets,
        .found = d->found,
        .checks = maybe + no,
        .negatives = no,
        .data_reads = rocksdb_perfcontext_metric(d->perf, rocksdb_block_read_count),
        .data_hits = rocksdb_perfcontext_metric(d->perf, rocksdb_block_cache_hit_count),
        .other_reads = FB_ENGINE_UNKNOWN,
        .read_hash = FB_ENGINE_UNKNOWN,
    };
    if (d->residency == FB_ENGINE_PINNED) /* they were read when the tables were opened */
        return;
    char *report = rocksdb_perfcontext_report(d->perf, 1);
    out->index_reads = told(report, "index_block_read_count");
    out->filter_reads = told(report, "filter_block_read_count");
    out->index_hits = told(report, "block_cache_index_hit_count");
    out->filter_hits = told(report, "block_cache_filter_hit_count");
    out->data_reads -= out->index_reads + out->filter_reads;
    out->data_hits -= out->index_hits + out->filter_hits;
    rocksdb_free(report);
}

/* ---- Texts ---- */

static char *settings(void *self)
{
    const struct database *d = self;
    char *all = fb_rocksdb_settings(d->folder, "default"), *text = NULL;
    size_t len = 0;
    FILE *out = all ? open_memstream(&text, &len) : NULL;
    if (out) {
        fprintf(out, "%sflushed after = %" PRIu64 " bytes of entries, by filterbench\n", all,
                d->write_buffer_bytes);
        fclose(out);
    }
    free(all);
    return text;
}

static char *statistics(void *self)
{
    char *theirs = rocksdb_options_statistics_get_string(((struct database *)self)->options);
    char *text = theirs ? strdup(theirs) : NULL;
    rocksdb_free(theirs);
    return text;
}

static const struct fb_engine_filter filters[] = {
    {"bloom", "rocksdb-fastlocal", "bloomfilter: all probes in one line of 64 bytes", NULL},
    {"ribbon", "rocksdb-ribbon", "ribbonfilter: the rate of bloom in 0.7 of its bits", NULL},
    {"legacy", "rocksdb-legacy", "bloomfilter of tables before format_version 5", NULL},
    {0},
};

__attribute__((visibility("default"))) const struct fb_engine_driver fb_engine_driver = {
    .interface = FB_ENGINE_INTERFACE,
    .name = "rocksdb",
    .version = FB_ROCKSDB_VERSION,
    .filters = filters,
    .takes_policies = false,
    .residencies = {true, true, true},
    .reads = {true, true, true},
    .open = open_db,
    .close = close_db,
    .put = put,
    .rest = rest,
    .tables = tables,
    .get = get,
    .counts = counts,
    .survey = fb_rocksdb_survey,
    .settings = settings,
    .statistics = statistics,
};
