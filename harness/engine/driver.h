/*
 * What a storage engine's driver offers: a shared object of its own, filterbench_engine_NAME.so,
 * which links the engine's library and exports fb_engine_driver. It is built where the library is
 * found; nothing else of filterbench links an engine. engine.h loads it.
 *
 *     open a new one, put..., rest, tables, close  a database, loaded once and at rest
 *     open, get..., counts, tables, close          asked, in a fresh copy of its folder
 *     survey                                       somebody's own, read and left as it is
 *
 * A driver includes this header and filters/core/base.h alone, and calls no function of
 * filterbench. Calls with `why` say there what failed, in the engine's words with the file's name:
 * "IO error: /tmp/x/000005.ldb: No space left on device". One thread calls; nothing throws.
 */
#ifndef FILTERBENCH_HARNESS_ENGINE_DRIVER_H
#define FILTERBENCH_HARNESS_ENGINE_DRIVER_H

#include "filters/core/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FB_ENGINE_INTERFACE = 4 };

struct fb_engine_why {
    char text[500];
};

/* A filter that the engine has itself, and which of our designs it is, bit for bit. */
struct fb_engine_filter {
    const char *name, *design, *summary; /* "builtin", "leveldb", one line */
    const char *policy; /* under which tables keep it, so that a policy of ours of that name may
                           read it; NULL: the engine takes no policies */
};

/* A filter that the engine gets from outside. Both functions are called from any thread of the
 * engine. */
struct fb_engine_policy {
    const char *name; /* under which tables keep their filters */
    void *self;
    /* Of the keys of one filter, in their order, into *block, malloc'd. False: no such filter can
     * be built; policy says why elsewhere, and the table gets none. */
    bool (*create)(void *self, const struct fb_keys *, uint8_t **block, size_t *len);
    bool (*maybe)(void *self, const void *key, size_t key_len, const uint8_t *block, size_t len);
};

/* Where the engine has its filters and indexes. */
enum fb_engine_residency {
    FB_ENGINE_PINNED,      /* beside its open tables */
    FB_ENGINE_CACHED,      /* in the block cache, each of them whole */
    FB_ENGINE_PARTITIONED, /* in the block cache, in parts of some 4 KiB, under an index of the
                              parts */
    FB_ENGINE_RESIDENCIES
};

/* How it reads a data block that it does not have. */
enum fb_engine_read {
    FB_ENGINE_CALL,   /* a system call, which the page cache may answer */
    FB_ENGINE_MAP,    /* of a file that is mapped into memory */
    FB_ENGINE_DIRECT, /* a system call, past the page cache (O_DIRECT) */
    FB_ENGINE_READS
};

struct fb_engine_options {
    const char *folder;                    /* of the database; exists */
    const char *filter;                    /* one of driver->filters; NULL: the policy */
    const struct fb_engine_policy *policy; /* NULL with filter NULL: no filter at all */
    double bits_per_key;                   /* of `filter` */
    uint64_t block_bytes;                  /* of a data block, before its last entry */
    uint64_t write_buffer_bytes, file_bytes;
    uint64_t cache_bytes; /* of the block cache; 0: every data block is read from its file */
    enum fb_engine_residency residency;
    enum fb_engine_read read;
    bool live;    /* compactions that Gets ask for may run; false: tables stay as they are */
    bool counted; /* false: as users run it, without statistics. Of counts() only `gets` and `found`
                     can then be relied on. */
};
/* Always: no compression, every table stays open, one thread. */

/* What Gets did since open. FB_ENGINE_UNKNOWN: the engine does not tell. */
#define FB_ENGINE_UNKNOWN UINT64_MAX
struct fb_engine_counts {
    uint64_t gets, found;
    uint64_t checks;     /* of filters */
    uint64_t negatives;  /* of the checks: the filter said no */
    uint64_t data_reads; /* data blocks read from files */
    uint64_t index_reads, filter_reads, other_reads;
    uint64_t data_hits; /* data blocks found in the block cache */
    uint64_t index_hits, filter_hits;
    /* Of the data blocks that were read, in order: fb_engine_read_hash. Unknown with a cache. */
    uint64_t read_hash;
};

/* The hash after another data block, which starts at `offset` of file `number`; 0 before the first.
 */
static inline uint64_t fb_engine_read_hash(uint64_t hash, uint64_t number, uint64_t offset)
{
    hash = (hash ^ (number << 40) ^ offset) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* One table of the tree, of all entries in it. */
struct fb_engine_table {
    unsigned level;
    uint64_t number; /* of its file */
    uint64_t entries, file_bytes;
    uint64_t filter_bytes; /* of its filters, as they lie in the file */
    bool by_blocks;        /* it has several filters, each of neighbouring data blocks. False:
                              one filter of all its keys. */
    bool any_key;          /* its filter is asked for keys beyond its range as well */
    bool reads_on;         /* of a key behind the last one of its data block: a Get reads the next
                              block as well. False: it ends there. */
};

/* Takes the tables in the order in which a Get looks for them: level 0 newest first, then by level
 * and key. Of each first table(), then its user keys, ascending, each once; block() after the last
 * key of a data block. False: no memory; the driver stops. */
struct fb_engine_sink {
    void *self;
    bool (*table)(void *self, const struct fb_engine_table *);
    bool (*key)(void *self, const void *key, size_t len);
    /* The block starts at `offset` of the file. A Get looks into it for keys above the bound of the
     * block before, up to its own, a key at or behind its last one; `below`: for keys below its
     * bound only. Neighbours with the same `filter` share one, of tables by_blocks. */
    bool (*block)(void *self, uint64_t offset, uint64_t filter, const void *bound, size_t len,
                  bool below);
};

/* ---- A database that is somebody's own ---- */

enum { FB_ENGINE_WORD = 40 };

/* One of its files of entries, as the file itself tells. */
struct fb_engine_file {
    unsigned level;
    uint64_t number, file_bytes;
    uint64_t entries, deletions;      /* versions of keys; of these, deletions */
    uint64_t key_bytes, value_bytes;  /* of all entries, uncompressed */
    uint64_t data_bytes, data_blocks; /* as they lie in the file */
    /* Its filters, whole, in parts or of blocks: how many, what was added to them (keys, and
     * prefixes of keys), and their bytes without what is beside them. 0: it has none. */
    uint64_t filters, filter_keys, filter_bytes;
    bool estimated; /* entries, deletions, key_bytes, value_bytes and filter_keys are of a part of
                       its blocks; false: of all of them */
    char design[FB_ENGINE_WORD];      /* of its filters, one of ours; "": none, or another one */
    char compression[FB_ENGINE_WORD]; /* of its data, in the engine's word; "": it does not tell */
};

struct fb_engine_survey {
    const char *folder;
    const char *family;  /* column family; NULL: the default one */
    const char *scratch; /* an empty folder, where the engine may write */
    uint64_t keys;       /* of the sample, at most */
    void *self;
    /* Files in the order in which a Get looks for them. False: no memory; the driver stops. */
    bool (*file)(void *self, const struct fb_engine_file *);
    /* Keys of the sample, ascending: those at the start of each file of the level with most bytes,
     * as many of each. */
    bool (*key)(void *self, const void *key, size_t len);
};

enum fb_engine_answer { FB_ENGINE_FOUND, FB_ENGINE_NOT_FOUND, FB_ENGINE_FAILED };

struct fb_engine_driver {
    uint32_t interface;                     /* FB_ENGINE_INTERFACE */
    const char *name, *version;             /* "leveldb", and of the library: "1.23" */
    const struct fb_engine_filter *filters; /* ends with name == NULL */
    bool takes_policies;
    bool residencies[FB_ENGINE_RESIDENCIES], reads[FB_ENGINE_READS]; /* which of them it has */
    bool seeks;                                                      /* Gets ask for compactions */

    /* A new database, in an empty folder; or one that is there, which changes no table until it is
     * closed, unless `live`. NULL: failed. */
    void *(*open)(const struct fb_engine_options *, bool is_new, struct fb_engine_why *why);
    bool (*close)(void *db, struct fb_engine_why *why); /* frees it in any case */

    /* Key i has the value_bytes bytes at values + i * value_bytes. The tables that come of it
     * depend on the calls alone, not on time. */
    bool (*put)(void *db, const struct fb_keys *, const uint8_t *values, size_t value_bytes,
                struct fb_engine_why *why);
    /* All that was put is in tables, and no compaction is due; `whole`: in one level. */
    bool (*rest)(void *db, bool whole, struct fb_engine_why *why);

    bool (*tables)(void *db, const struct fb_engine_sink *, struct fb_engine_why *why);
    enum fb_engine_answer (*get)(void *db, const void *key, size_t len, struct fb_engine_why *why);
    void (*counts)(void *db, struct fb_engine_counts *out);

    /* Reads a database that may be open elsewhere: takes no lock, and writes nothing into its
     * folder. *settings: as those below. */
    bool (*survey)(const struct fb_engine_survey *, char **settings, struct fb_engine_why *why);

    /* Texts, malloc'd; NULL: none. The settings in force, "name = value" a line; the engine's own
     * statistics, as it prints them. */
    char *(*settings)(void *db);
    char *(*statistics)(void *db);
};

/* What the shared object exports. */
extern const struct fb_engine_driver fb_engine_driver;

#ifdef __cplusplus
}
#endif

#endif
