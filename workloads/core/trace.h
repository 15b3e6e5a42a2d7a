/*
 * Traces: what clients asked of a store, one operation a line.
 */
#ifndef FILTERBENCH_WORKLOADS_CORE_TRACE_H
#define FILTERBENCH_WORKLOADS_CORE_TRACE_H

#include "workloads/core/keys.h"

enum fb_trace_kind {
    FB_TRACE_GET,
    FB_TRACE_PUT,
    FB_TRACE_DELETE,
    FB_TRACE_SCAN,        /* from one key to another */
    FB_TRACE_PREFIX_SCAN, /* all keys that begin so */
};

struct fb_trace_op {
    uint64_t size; /* put: bytes of the value; scans: at most so many keys, 0: all */
    uint32_t key;  /* number of its key in the trace; the end of a scan is the one after it */
    enum fb_trace_kind kind;
};

/* Owns its memory. You may close a zeroed trace. */
struct fb_trace {
    struct fb_keyset keys;   /* in the order of the lines, with repeats */
    struct fb_trace_op *ops; /* [n_ops], owned */
    size_t n_ops;
};

void fb_trace_close(struct fb_trace *);

/*
 * Formats of --trace-format, by name:
 *
 *     ops      g KEY, p KEY VLEN, d KEY, s START END LIMIT, s PREFIX* LIMIT; blanks between. In
 *              keys %XX is a byte; blanks, #, * and % must be written so. # begins a comment line
 *     twitter  timestamp,key,klen,vlen,client,op,ttl as in Twitter's cache traces: get and gets are
 *              gets, delete deletes, everything else puts. The key may hold commas
 *     kvgen    I KEY VALUE, U KEY VALUE, Q KEY, D KEY, S START END as the K-V-Workload-Generator of
 *              Boston University writes them. Keys as they stand. No range deletes (R)
 *
 * Empty lines are skipped, and a carriage return before the newline.
 */
extern const struct fb_word fb_traceformats[];
bool fb_traceformat_valid(const char *name);

/* `line` counts from 1; `what` is static and says what is accepted. */
struct fb_trace_error {
    uint64_t line;
    const char *what;
};

/* Parses n_bytes of `data` in a valid format; no operation at all is legal. FB_EINVAL with *error
 * set when malformed. Allocates a small multiple of n_bytes. */
enum fb_err fb_trace_parse(const char *format, const uint8_t *data, size_t n_bytes,
                           struct fb_trace *out, struct fb_trace_error *error) FB_MUST_USE;

#endif
