/*
 * Makes a database of LevelDB for tests, with its own library alone: make_leveldb FOLDER KEYS. Half
 * of a value compresses. Every tenth key is deleted again, all is compacted, and one key more is
 * in the log.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <leveldb/c.h>

int main(int argc, char **argv)
{
    char *error = NULL, key[40], value[100];
    if (argc < 3)
        return 2;
    const long n = strtol(argv[2], NULL, 10);
    leveldb_options_t *options = leveldb_options_create();
    leveldb_options_set_create_if_missing(options, 1);
    leveldb_options_set_compression(options, leveldb_snappy_compression);
    leveldb_options_set_filter_policy(options, leveldb_filterpolicy_create_bloom(10));
    leveldb_writeoptions_t *writing = leveldb_writeoptions_create();
    leveldb_t *db = leveldb_open(options, argv[1], &error);
    unsigned long long word = 1;
    memset(value, 'v', sizeof value);
    for (long i = 0; i < n && !error; i++) {
        const long of = (long)(((unsigned long long)i * 2654435761u) % (unsigned long long)n);
        for (size_t j = 0; j < sizeof value / 2; j++)
            value[j] = (char)((word = word * 6364136223846793005u + 1442695040888963407u) >> 56);
        snprintf(key, sizeof key, "user:%09ld", of);
        leveldb_put(db, writing, key, strlen(key), value, sizeof value, &error);
    }
    for (long i = 0; i < n && !error; i += 10) {
        snprintf(key, sizeof key, "user:%09ld", i);
        leveldb_delete(db, writing, key, strlen(key), &error);
    }
    if (!error) {
        leveldb_compact_range(db, NULL, 0, NULL, 0);
        leveldb_put(db, writing, "user:last", 9, "", 0, &error);
    }
    if (error)
        fprintf(stderr, "%s\n", error);
    else
        leveldb_close(db);
    return error ? 1 : 0;
}
