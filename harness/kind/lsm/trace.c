#include "harness/kind/lsm/experiment.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/document/user_keys.h"

static void count_ops(struct fb_lsm_trace *t)
{
    const struct fb_keys *keys = &t->ops.keys.keys;
    for (size_t i = 0; i < t->ops.n_ops; i++) {
        const struct fb_trace_op *op = &t->ops.ops[i];
        t->gets += op->kind == FB_TRACE_GET;
        t->deletes += op->kind == FB_TRACE_DELETE;
        t->scans += op->kind == FB_TRACE_SCAN || op->kind == FB_TRACE_PREFIX_SCAN;
        if (op->kind == FB_TRACE_PUT) {
            t->puts++;
            t->key_bytes += (double)fb_key_len(keys, op->key);
            t->value_bytes += (double)op->size;
        }
    }
    if (t->puts) {
        t->key_bytes /= (double)t->puts;
        t->value_bytes /= (double)t->puts;
    }
}

static enum fb_err describe(struct fb_lsm_trace *t, const char *path, const char *format,
                            const uint8_t *bytes, size_t n_bytes)
{
    struct fb_keyset sorted;
    size_t n_repeats;
    enum fb_err err = fb_keyset_sorted(&t->ops.keys.keys, &sorted, &n_repeats);
    if (err)
        return err;
    t->about = fb_user_keys_about(path, format, &sorted.keys, n_repeats);
    json_object_set_new(t->about, "trace",
                        json_pack("{s:o, s:o, s:o, s:o, s:o}", "gets", fb_json_int(t->gets), "puts",
                                  fb_json_int(t->puts), "deletes", fb_json_int(t->deletes), "scans",
                                  fb_json_int(t->scans), "xxh3_128", fb_json_xxh3(bytes, n_bytes)));
    fb_keyset_close(&sorted);
    return FB_OK;
}

static enum fb_exit refuse_format(const char *format)
{
    fb_error("--trace-format: '%.40s': give ops, twitter or kvgen%s", format,
             fb_did_you_mean(format, fb_traceformats, sizeof *fb_traceformats));
    return FB_EXIT_USAGE;
}

enum fb_exit fb_lsm_trace_load(const char *path, const char *format, struct fb_lsm_trace *out)
{
    struct fb_trace_error wrong;
    uint8_t *bytes;
    size_t n_bytes;
    memset(out, 0, sizeof *out);
    format = format ? format : fb_traceformats[0].name;
    if (!fb_traceformat_valid(format))
        return refuse_format(format);
    enum fb_exit code = fb_file_read(path, &bytes, &n_bytes);
    if (code)
        return code;
    enum fb_err err = fb_trace_parse(format, bytes, n_bytes, &out->ops, &wrong);
    if (err == FB_EINVAL) {
        fb_error("%s: line %llu: %s", path, (unsigned long long)wrong.line, wrong.what);
        code = FB_EXIT_USAGE;
    } else if (!err) {
        count_ops(out);
        err = describe(out, path, format, bytes, n_bytes);
    }
    free(bytes);
    if (err && !code)
        return fb_fail(path, err, NULL);
    if (!code && !(out->gets && out->puts)) {
        fb_error("%s: %llu gets and %llu puts; a trace needs both, the puts for the tree and the "
                 "gets to ask it",
                 path, (unsigned long long)out->gets, (unsigned long long)out->puts);
        code = FB_EXIT_USAGE;
    }
    if (!code && out->scans)
        fb_note("%s: %llu scans are left out; gets are asked", path,
                (unsigned long long)out->scans);
    return code;
}

void fb_lsm_trace_close(struct fb_lsm_trace *t)
{
    fb_trace_close(&t->ops);
    json_decref(t->about);
    memset(t, 0, sizeof *t);
}

json_t *fb_lsm_traced_json(const struct fb_trace_tree *t)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "flushes", fb_json_int(t->n_flushes), "merges",
                     fb_json_int(t->n_merges), "entries_put", fb_json_int(t->entries_put),
                     "entries_written", fb_json_int(t->entries_written));
}
