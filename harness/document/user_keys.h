/*
 * The user's file of keys (run --keys), as experiments take it: distinct keys, and what a result
 * says of the file.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_USER_KEYS_H
#define FILTERBENCH_HARNESS_DOCUMENT_USER_KEYS_H

#include <jansson.h>

#include "harness/base/exit.h"
#include "workloads/core/keys.h"

/* A zeroed one may be closed. */
struct fb_user_keys {
    struct fb_keyset distinct; /* owned */
    json_t *about;             /* "key_file" of the document, owned */
};

enum fb_user_keys_order { FB_USER_KEYS_AS_GIVEN, FB_USER_KEYS_SORTED };

/* Reads a file ("-": stdin) in a --keys-format (NULL: "lines") and drops repeats, with a note.
 * Fewer than two distinct keys are FB_EXIT_USAGE, the other codes those of fb_file_read_keys; every
 * one but OK has had its line on stderr, and *out is to be closed either way. */
enum fb_exit fb_user_keys_load(const char *path, const char *format, enum fb_user_keys_order,
                               struct fb_user_keys *out);
void fb_user_keys_close(struct fb_user_keys *);

/* {name, format, given, dropped, bytes, xxh3_128} of a file with these distinct keys and so many
 * repeats; the hash is that of the keys' bytes, end to end. The caller owns it. */
json_t *fb_user_keys_about(const char *path, const char *format, const struct fb_keys *distinct,
                           size_t n_dropped);

#endif
