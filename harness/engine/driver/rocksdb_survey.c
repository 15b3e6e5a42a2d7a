#include "harness/engine/driver/rocksdb_survey.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/engine/sstable.h"

bool fb_rocksdb_fail(struct fb_engine_why *why, const char *what, const char *text)
{
    snprintf(why->text, sizeof why->text, "%.380s: %.100s", what, text);
    return false;
}

bool fb_rocksdb_check(char *error, struct fb_engine_why *why)
{
    if (!error)
        return true;
    snprintf(why->text, sizeof why->text, "%s", error);
    rocksdb_free(error);
    return false;
}

/* ---- Settings ---- */

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
    return *newest ? (char *)fb_sstable_file(path, &size) : NULL;
}

/* Whether a line of that file begins a section of another column family: [CFOptions "name"],
 * [TableOptions/BlockBasedTable "name"]. */
static bool is_of_another(const char *line, const char *family)
{
    const char *name = strchr(line, '"');
    const size_t n = strlen(family);
    return name && (strncmp(name + 1, family, n) != 0 || name[1 + n] != '"');
}

char *fb_rocksdb_settings(const char *folder, const char *family)
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
                                         "metadata_block_size",
                                         "prefix_extractor",
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
    bool theirs = true;
    FILE *out = file ? open_memstream(&text, &len) : NULL;
    char *line = out ? strtok_r(file, "\n", &state) : NULL;
    for (; line; line = strtok_r(NULL, "\n", &state)) {
        line += strspn(line, " ");
        if (*line == '[')
            theirs = !is_of_another(line, family);
        const size_t n = strcspn(line, "=");
        for (size_t i = 0; theirs && line[n] && i < sizeof wanted / sizeof *wanted; i++)
            if (strlen(wanted[i]) == n && !memcmp(wanted[i], line, n))
                fprintf(out, "%s = %s\n", wanted[i], line + n + 1);
    }
    if (out)
        fclose(out);
    free(file);
    return text;
}

static int compare_keys(const char *a, size_t a_len, const char *b, size_t b_len)
{
    const size_t both = a_len < b_len ? a_len : b_len;
    const int order = both ? memcmp(a, b, both) : 0;
    return order ? order : (a_len > b_len) - (a_len < b_len);
}

static int compare_smallest(const void *a, const void *b)
{
    const struct fb_rocksdb_file *x = a, *y = b;
    return compare_keys(x->smallest, x->smallest_len, y->smallest, y->smallest_len);
}

static int compare_listed(const void *a, const void *b)
{
    const struct fb_rocksdb_file *x = a, *y = b;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    return x->level ? compare_smallest(x, y) : (x->number < y->number) - (x->number > y->number);
}

struct fb_rocksdb_file *fb_rocksdb_files(const rocksdb_livefiles_t *files, const char *family,
                                         size_t *n)
{
    const int all = rocksdb_livefiles_count(files);
    struct fb_rocksdb_file *list = calloc((size_t)all + 1, sizeof *list);
    *n = 0;
    for (int i = 0; i < all && list; i++) {
        struct fb_rocksdb_file *one = &list[*n];
        if (strcmp(rocksdb_livefiles_column_family_name(files, i), family) != 0)
            continue;
        ++*n;
        one->level = (unsigned)rocksdb_livefiles_level(files, i);
        one->name = rocksdb_livefiles_name(files, i);
        one->number = strtoull(one->name + 1, NULL, 10);
        one->smallest = rocksdb_livefiles_smallestkey(files, i, &one->smallest_len);
        one->bytes = rocksdb_livefiles_size(files, i);
    }
    if (list)
        qsort(list, *n, sizeof *list, compare_listed);
    return list;
}

/* ---- A sample of keys ---- */

/* Moves the files of the level with most bytes to the front, by key; returns how many they are. */
static size_t largest_level(struct fb_rocksdb_file *list, size_t n)
{
    enum { LEVELS = 64 };
    uint64_t bytes[LEVELS] = {0};
    unsigned largest = 0;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        bytes[list[i].level % LEVELS] += list[i].bytes;
    for (unsigned l = 0; l < LEVELS; l++)
        largest = bytes[l] > bytes[largest] ? l : largest;
    for (size_t i = 0; i < n; i++)
        if (list[i].level == largest)
            list[kept++] = list[i];
    qsort(list, kept, sizeof *list, compare_smallest);
    return kept;
}

/* From the first key of each file on, or from the last one told of where that is behind it. */
static bool sample(const struct fb_engine_survey *s, rocksdb_iterator_t *at,
                   const struct fb_rocksdb_file *list, size_t n)
{
    bool going = true;
    size_t len;
    for (size_t i = 0; i < n && going; i++) {
        const char *key = i && rocksdb_iter_valid(at) ? rocksdb_iter_key(at, &len) : NULL;
        if (!i || (key && compare_keys(key, len, list[i].smallest, list[i].smallest_len) < 0))
            rocksdb_iter_seek(at, list[i].smallest, list[i].smallest_len);
        for (uint64_t k = 0; k < (s->keys + n - 1) / n && going && rocksdb_iter_valid(at); k++) {
            key = rocksdb_iter_key(at, &len);
            going = s->key(s->self, key, len);
            rocksdb_iter_next(at);
        }
    }
    return going;
}

/* The files of a column family as they tell, and a sample of its keys. */
static bool survey_family(const struct fb_engine_survey *s, const char *name, rocksdb_t *db,
                          rocksdb_column_family_handle_t *family, struct fb_engine_why *why)
{
    const rocksdb_livefiles_t *files = rocksdb_livefiles(db);
    size_t n;
    struct fb_rocksdb_file *list = fb_rocksdb_files(files, name, &n);
    bool done = list || fb_rocksdb_fail(why, s->folder, "no memory for its tables");
    for (size_t i = 0; i < n && done; i++) {
        struct fb_engine_file file = {.level = list[i].level, .number = list[i].number};
        char path[4096];
        snprintf(path, sizeof path, "%s%s", s->folder, list[i].name);
        done = fb_sstable_survey(path, true, &file, why) &&
               (s->file(s->self, &file) ||
                fb_rocksdb_fail(why, s->folder, "no memory for its tables"));
    }
    if (done && n) {
        rocksdb_readoptions_t *reading = rocksdb_readoptions_create();
        char *error = NULL;
        rocksdb_readoptions_set_fill_cache(reading, 0);
        rocksdb_iterator_t *at = rocksdb_create_iterator_cf(db, reading, family);
        done = sample(s, at, list, largest_level(list, n)) ||
               fb_rocksdb_fail(why, s->folder, "no memory for its keys");
        rocksdb_iter_get_error(at, &error);
        done = fb_rocksdb_check(error, why) && done;
        rocksdb_iter_destroy(at);
        rocksdb_readoptions_destroy(reading);
    }
    free(list);
    rocksdb_livefiles_destroy(files);
    return done;
}

/* Fails where the database has no such column family, with the names of those that it has. */
static bool has_family(const struct fb_engine_survey *s, const rocksdb_options_t *options,
                       const char *name, struct fb_engine_why *why)
{
    size_t n = 0;
    char *error = NULL, list[300] = "";
    char **names = rocksdb_list_column_families(options, s->folder, &n, &error);
    if (!fb_rocksdb_check(error, why))
        return false;
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        const size_t used = strlen(list);
        found |= !strcmp(names[i], name);
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", names[i]);
    }
    rocksdb_list_column_families_destroy(names, n);
    if (!found)
        snprintf(why->text, sizeof why->text,
                 "%.150s: it has no column family '%.40s'; it has %.250s", s->folder, name, list);
    return found;
}

bool fb_rocksdb_survey(const struct fb_engine_survey *s, char **settings_text,
                       struct fb_engine_why *why)
{
    enum { FILES = 500 }; /* that are open at a time */
    const char *name = s->family ? s->family : "default", *const names[] = {"default", name};
    const int n = strcmp(name, "default") != 0 ? 2 : 1;
    rocksdb_options_t *options = rocksdb_options_create();
    rocksdb_column_family_handle_t *families[2] = {NULL};
    char *error = NULL;
    rocksdb_options_set_db_log_dir(options, s->scratch);
    rocksdb_options_set_max_open_files(options, FILES);
    bool done = has_family(s, options, name, why);
    rocksdb_t *db =
        done ? rocksdb_open_for_read_only_column_families(
                   options, s->folder, n, names,
                   (const rocksdb_options_t *const[]){options, options}, families, 0, &error)
             : NULL;
    done = done && fb_rocksdb_check(error, why) && survey_family(s, name, db, families[n - 1], why);
    for (int i = 0; db && i < n; i++)
        rocksdb_column_family_handle_destroy(families[i]);
    if (db)
        rocksdb_close(db);
    rocksdb_options_destroy(options);
    *settings_text = done ? fb_rocksdb_settings(s->folder, name) : NULL;
    return done;
}
