/*
 * Traces as experiments of kind "lsm": what was put makes the tree, what was asked for the queries.
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_TRACE_H
#define FILTERBENCH_HARNESS_KIND_LSM_TRACE_H

#include "harness/kind/lsm/experiment.h"
#include "workloads/core/trace_tree.h"

struct fb_lsm_trace {
    struct fb_trace ops;
    uint64_t gets, puts, deletes, scans;
    double key_bytes, value_bytes; /* means of what is put */
    json_t *about;                 /* "key_file" of the document, owned */
};

/* Reads a file ("-": stdin) in a --trace-format; NULL: "ops". A line on stderr for every code but
 * OK: which line of the file cannot be read, or what the trace lacks. Close it in any case. */
enum fb_exit fb_lsm_trace_load(const char *path, const char *format, struct fb_lsm_trace *out);
void fb_lsm_trace_close(struct fb_lsm_trace *);

/* "trace" of a cell's tree: what went through memtable and compaction. */
json_t *fb_lsm_traced_json(const struct fb_trace_tree *);

#endif
