/*
 * Sets of keys: generated from indices, or taken from a user's file.
 *
 * A generated key is a pure function of (format, stream, index), one to one in the index, so two
 * disjoint ranges of indices are disjoint sets of keys by construction.
 */
#ifndef FILTERBENCH_WORKLOADS_CORE_KEYS_H
#define FILTERBENCH_WORKLOADS_CORE_KEYS_H

#include "filters/core/base.h"

/* Keys that own their memory. You may close a zeroed set. Threads: any number may read a set that
 * nobody changes. */
struct fb_keyset {
    struct fb_keys keys; /* points into the members below */
    uint8_t *bytes;      /* owned */
    uint64_t *offset;    /* owned */
    uint8_t *type;       /* owned; NULL: all bytes */
};

void fb_keyset_close(struct fb_keyset *);

/* Makes an empty set with room for n keys of n_bytes in all. A typed set has a type for each key.
 * FB_ENOMEM leaves *out zeroed. */
enum fb_err fb_keyset_alloc(size_t n, uint64_t n_bytes, bool typed,
                            struct fb_keyset *out) FB_MUST_USE;
/* Appends a copy of a key, for which the caller has reserved room. Only typed sets read `type`. */
void fb_keyset_push(struct fb_keyset *, const void *key, size_t len, enum fb_key_type type);

/* ---- Generated keys (formats.c) ---- */

/*
 * A format. Those with a parameter ("bin:40", "len:16..64") are parsed into a copy of their row.
 * The row itself has a default parameter.
 *
 * Two different indices give two different keys. This holds below 2^42 for ycsb, norad and
 * norad-bin, and below 2^63 for all other formats. For sha1 and sha256 nobody can prove it, but no
 * exception is known.
 */
struct fb_keygen {
    const char *name, *summary; /* "dec6"; one line; "bin:L" names a parameter */
    size_t max_len;
    bool uses_stream; /* false: index alone decides */
    bool ordered;     /* keys sort as their indices, within the first 10^12 of them */
    /* Writes the key of `index`, index < 2^63, and returns its length, at most max_len. */
    size_t (*write)(const struct fb_keygen *self, uint64_t stream, uint64_t index, uint8_t *key);
    /* Sets *index to the only index whose key could be `key`, and returns false if there is none.
     * The caller writes the key of *index and compares.
     *
     * NULL means that the format needs no such check. If you change the last byte of its key or a
     * bit of the third byte, or make the key longer, you get no key of the format.
     *
     * Accidents are too rare to matter. Their probability is 2^-160 for sha1 and sha256, and
     * n / 2^63 for n keys of ycsb with another last digit. */
    bool (*read)(const struct fb_keygen *self, uint64_t stream, const uint8_t *key, size_t len,
                 uint64_t *index);
    uint64_t parameter[2];
    char text[32]; /* what was parsed; names the format in results */
};

/* The table of formats, ending with name == NULL. */
extern const struct fb_keygen fb_keygens[];
/* The row of a format without a parameter; NULL: there is none of that name. */
const struct fb_keygen *fb_keygen_find(const char *name);
/* Parses any format into *out, which keeps the text. False: there is no such format, or its
 * parameter is out of range. *why, a static text, then says what is accepted. */
bool fb_keygen_parse(const char *text, struct fb_keygen *out, const char **why);
/* Mean length of a format's keys, from 256 of them; NaN: out of memory. */
double fb_keygen_mean_bytes(const struct fb_keygen *);

/* ---- Sets (keyset.c) ---- */

/* Makes the keys of indices first .. first + n - 1, in that order. The caller closes *out. */
enum fb_err fb_keyset_generate(const struct fb_keygen *, uint64_t stream, uint64_t first, size_t n,
                               struct fb_keyset *out) FB_MUST_USE;

/* Draws n_present + n_absent positions of `keys`, which must be distinct, by a random permutation,
 * and copies these keys in its order. FB_EINVAL where their sum exceeds keys->n. */
enum fb_err fb_keyset_split(const struct fb_keys *keys, uint64_t stream, size_t n_present,
                            size_t n_absent, struct fb_keyset *present,
                            struct fb_keyset *absent) FB_MUST_USE;

/* Copies keys, first occurrences only, in order; *n_dropped counts the rest. Keys are equal when
 * type and bytes are. */
enum fb_err fb_keyset_distinct(const struct fb_keys *keys, struct fb_keyset *out,
                               size_t *n_dropped) FB_MUST_USE;

/* Copies distinct keys in ascending order of their bytes (keysort.c), a shorter key before those
 * that it begins; types, where there are any, decide between equal bytes. *n_dropped counts the
 * repeats. At most 2^32 keys. */
enum fb_err fb_keyset_sorted(const struct fb_keys *keys, struct fb_keyset *out,
                             size_t *n_dropped) FB_MUST_USE;

/* ---- Key files (keyfile.c) ---- */

/*
 * Formats of --keys-format, by name; the text of --help is made from this table.
 *
 *     lines       one key per line, the newline not part of it; a last line needs none; an empty
 *                 line is an empty key. Here and in the other formats of lines a CR before the
 *                 newline is no part of a key where every newline has one
 *     nul         the same, separated by NUL bytes (find -print0)
 *     hex         one key per line, pairs of hexadecimal digits
 *     len32       little-endian u32 length, then the bytes, repeated
 *     fixed:L     keys of L bytes each, L >= 1
 *     csv:COLUMN  a column of comma-separated values: a number from 1, every line a record; or a
 *                 name, which the first line must have. Fields in quotes may hold commas, line ends
 *                 and doubled quotes. Lines may end with CR LF. Empty lines are skipped, empty
 *                 fields are empty keys
 *     u64         decimal per line, 8 bytes little-endian
 *     i32 i64 f32 f64
 *                 decimal per line, Parquet's plain encoding (little-endian, 4 or 8 bytes). Floats
 *                 are rounded to nearest even; inf, -inf and nan (the quiet one) are accepted
 *     typed       per line s:TEXT, b:HEX, i:DECIMAL or f:DECIMAL, as abloom takes them; integers of
 *                 any length, kept without leading zeros
 */
extern const struct fb_word fb_keyformats[];
bool fb_keyformat_valid(const char *name);
enum { FB_MOST_FIXED = INT32_MAX }; /* the greatest L, and the greatest number of a column */

/* Whether a format is text: csv:COLUMN, and those that have a separator. */
bool fb_keyformat_is_text(const char *name);
/* Whether a format has a key per line, and whether every line of a file ends with CR LF. */
bool fb_keyformat_is_lines(const char *name);
bool fb_keyfile_crlf(const uint8_t *data, size_t n_bytes);
/* Whether the format is csv:NUMBER and the first record seems to name the columns. It does if all
 * its fields begin with a letter and one of the second record begins with a digit or a sign. */
bool fb_csv_header(const char *format, const uint8_t *data, size_t n_bytes);

/* Of format csv:NAME: the names in the first record, each with a NUL behind it, in `names`
 * [n_bytes + 1]. Returns how many; 0 where the format is another or the record cannot be read. */
size_t fb_csv_columns(const char *format, const uint8_t *data, size_t n_bytes, char *names);

/* What was wrong with a file of keys: `offset` is the byte where the bad key starts; `line` counts
 * from 1 in text formats and is 0 in binary ones. `what` is static and says what is accepted. */
struct fb_keyfile_error {
    uint64_t line, offset;
    const char *what;
};

/* Parses n_bytes of `data` in the named format. Keys keep their order and repeats; zero keys are
 * legal. FB_EINVAL with *error set when malformed. Allocates a small multiple of n_bytes. */
enum fb_err fb_keyfile_parse(const char *format, const uint8_t *data, size_t n_bytes,
                             struct fb_keyset *out, struct fb_keyfile_error *error) FB_MUST_USE;

#endif
