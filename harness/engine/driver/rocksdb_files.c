#include "harness/engine/driver/rocksdb_files.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/engine/sstable.h"

bool fb_rocksdb_fail(struct fb_engine_why *why, const char *what, const char *text)
{
    snprintf(why->text, sizeof why->text, "%.380s: %.100s", what, text);
    return false;
}

/* ---- Tables ---- */

struct listed {
    unsigned level;
    uint64_t number;
    const char *name, *smallest; /* of the list that they come from */
    size_t smallest_len;
};

static int compare_listed(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if (!x->level)
        return (x->number < y->number) - (x->number > y->number);
    const size_t both = x->smallest_len < y->smallest_len ? x->smallest_len : y->smallest_len;
    const int order = both ? memcmp(x->smallest, y->smallest, both) : 0;
    return order ? order
                 : (x->smallest_len > y->smallest_len) - (x->smallest_len < y->smallest_len);
}

static uint8_t *read_file(const char *path, uint64_t *size)
{
    struct stat about;
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    if (file && !fstat(fileno(file), &about) && about.st_size >= 0) {
        *size = (uint64_t)about.st_size;
        bytes = malloc(*size + 1);
        if (bytes && fread(bytes, 1, *size, file) != *size) {
            free(bytes);
            bytes = NULL;
            errno = EIO;
        }
    }
    if (file)
        fclose(file);
    if (bytes)
        bytes[*size] = 0;
    return bytes;
}

static bool ignore_key(void *self, const void *key, size_t len)
{
    (void)self, (void)key, (void)len;
    return true;
}

static bool ignore_block(void *self, uint64_t offset, const void *bound, size_t len, bool below)
{
    (void)self, (void)offset, (void)bound, (void)len, (void)below;
    return true;
}

static bool tell(const char *folder, const struct listed *one, const struct fb_engine_sink *sink,
                 struct fb_engine_why *why)
{
    static const struct fb_sstable_sink nobody = {NULL, ignore_key, ignore_block};
    const struct fb_sstable_sink both = {sink->self, sink->key, sink->block};
    struct fb_engine_table table = {.level = one->level, .number = one->number, .reads_on = true};
    char path[4096];
    snprintf(path, sizeof path, "%s%s", folder, one->name);
    uint8_t *file = read_file(path, &table.file_bytes);
    if (!file)
        return fb_rocksdb_fail(why, path, strerror(errno));
    enum fb_err err = fb_sstable_each_rocksdb(file, table.file_bytes, &nobody, &table.entries,
                                              &table.filter_bytes);
    bool done = true;
    if (err)
        done = fb_rocksdb_fail(why, path, "not a table that can be read");
    else if (!sink->table(sink->self, &table) ||
             fb_sstable_each_rocksdb(file, table.file_bytes, &both, &table.entries,
                                     &table.filter_bytes))
        done = fb_rocksdb_fail(why, path, "no memory for its keys");
    free(file);
    return done;
}

bool fb_rocksdb_tables(rocksdb_t *db, const char *folder, const struct fb_engine_sink *sink,
                       struct fb_engine_why *why)
{
    const rocksdb_livefiles_t *files = rocksdb_livefiles(db);
    const int n = rocksdb_livefiles_count(files);
    struct listed *all = calloc((size_t)n + 1, sizeof *all);
    bool done = all || fb_rocksdb_fail(why, folder, "no memory for its tables");
    for (int i = 0; i < n && done; i++) {
        all[i].level = (unsigned)rocksdb_livefiles_level(files, i);
        all[i].name = rocksdb_livefiles_name(files, i);
        all[i].number = strtoull(all[i].name + 1, NULL, 10);
        all[i].smallest = rocksdb_livefiles_smallestkey(files, i, &all[i].smallest_len);
    }
    if (done)
        qsort(all, (size_t)n, sizeof *all, compare_listed);
    for (int i = 0; i < n && done; i++)
        done = tell(folder, &all[i], sink, why);
    free(all);
    rocksdb_livefiles_destroy(files);
    return done;
}

/* ---- Texts ---- */

/* The newest of its files OPTIONS-000007, which RocksDB writes when it is opened; NULL: none. */
static char *options_file(const char *folder)
{
    char newest[300] = "", path[4096];
    uint64_t number = 0, size;
    DIR *dir = opendir(folder);
    for (const struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        char *end;
        if (strncmp(e->d_name, "OPTIONS-", 8) != 0)
            continue;
        const uint64_t its = strtoull(e->d_name + 8, &end, 10);
        if (!*end && its >= number) {
            number = its;
            snprintf(newest, sizeof newest, "%.255s", e->d_name);
        }
    }
    if (dir)
        closedir(dir);
    snprintf(path, sizeof path, "%s/%s", folder, newest);
    return *newest ? (char *)read_file(path, &size) : NULL;
}

/* Of the lines "  name=value" of that file those that decide what Gets read. */
char *fb_rocksdb_settings(const char *folder, uint64_t write_buffer_bytes)
{
    static const char *const wanted[] = {"rocksdb_version",
                                         "filter_policy",
                                         "format_version",
                                         "whole_key_filtering",
                                         "partition_filters",
                                         "optimize_filters_for_memory",
                                         "optimize_filters_for_hits",
                                         "cache_index_and_filter_blocks",
                                         "pin_l0_filter_and_index_blocks_in_cache",
                                         "no_block_cache",
                                         "block_size",
                                         "block_restart_interval",
                                         "index_block_restart_interval",
                                         "index_type",
                                         "data_block_index_type",
                                         "checksum",
                                         "compression",
                                         "write_buffer_size",
                                         "target_file_size_base",
                                         "max_bytes_for_level_base",
                                         "max_bytes_for_level_multiplier",
                                         "level0_file_num_compaction_trigger",
                                         "level_compaction_dynamic_level_bytes",
                                         "compaction_style",
                                         "compaction_pri",
                                         "disable_auto_compactions",
                                         "max_open_files",
                                         "allow_mmap_reads",
                                         "use_direct_reads"};
    char *file = options_file(folder), *text = NULL, *state = NULL;
    size_t len = 0;
    FILE *out = file ? open_memstream(&text, &len) : NULL;
    char *line = out ? strtok_r(file, "\n", &state) : NULL;
    for (; line; line = strtok_r(NULL, "\n", &state)) {
        line += strspn(line, " ");
        const size_t n = strcspn(line, "=");
        for (size_t i = 0; line[n] && i < sizeof wanted / sizeof *wanted; i++)
            if (strlen(wanted[i]) == n && !memcmp(wanted[i], line, n))
                fprintf(out, "%s = %s\n", wanted[i], line + n + 1);
    }
    if (out) {
        fprintf(out, "flushed after = %" PRIu64 " bytes of entries, by filterbench\n",
                write_buffer_bytes);
        fclose(out);
    }
    free(file);
    return text;
}
