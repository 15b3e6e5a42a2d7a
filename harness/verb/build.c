/* build: keys in, the real system's block out. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/output.h"
#include "harness/base/print.h"
#include "harness/document/experiment.h"
#include "harness/tree/prefix.h"
#include "harness/tree/table_block.h"
#include "harness/verb/block.h"
#include "harness/verb/verb.h"

struct request {
    const struct fb_design *design;
    const struct fb_hash *hash;
    const struct fb_format *block_format;
    const char *block_format_name, *keys, *keys_format, *data_blocks, *output;
    struct fb_params params;
    struct fb_prefix prefix;
    enum fb_output_format format;
};

/* --prefix and --whole-keys. */
static bool take_prefix(struct request *r, const char *prefix, bool whole_keys)
{
    const char *why;
    if (fb_opt_wrong(!prefix && whole_keys, "--whole-keys",
                     "goes with --prefix; without one a filter holds whole keys"))
        return false;
    if (!prefix || fb_prefix_parse(prefix, whole_keys, &r->prefix, &why))
        return true;
    fb_error("--prefix %s: %s", prefix, why);
    return false;
}

static bool take_options(struct request *r, int argc, char **argv)
{
    uint64_t probes = 0;
    const char *prefix = NULL;
    bool whole_keys = false;
    const struct fb_opt opts[] = {
        {"design", 'd', FB_OPT_DESIGN, &r->design, 0, 0},
        {"bits-per-key", 'b', FB_OPT_DOUBLE, &r->params.bits_per_key, 0.001, 1e6},
        {"fpr", 'p', FB_OPT_SHARE, &r->params.fpr, 1e-18, 0.999999},
        {"capacity", 0, FB_OPT_COUNT, &r->params.capacity, 1, (double)FB_MAX_KEYS},
        {"probes", 0, FB_OPT_COUNT, &probes, 1, FB_MAX_PROBES},
        {"hash", 0, FB_OPT_HASH, &r->hash, 0, 0},
        {"keys", 'k', FB_OPT_TEXT, &r->keys, 0, 0},
        {"keys-format", 0, FB_OPT_TEXT, &r->keys_format, 0, 0},
        {"prefix", 0, FB_OPT_TEXT, &prefix, 0, 0},
        {"whole-keys", 0, FB_OPT_FLAG, &whole_keys, 0, 0},
        {"data-blocks", 0, FB_OPT_TEXT, &r->data_blocks, 0, 0},
        {"format-block", 0, FB_OPT_TEXT, &r->block_format_name, 0, 0},
        {"output", 'o', FB_OPT_TEXT, &r->output, 0, 0},
        {"format", 0, FB_OPT_FORMAT, &r->format, 0, 0},
        {0},
    };
    if (!fb_opt_parse(argc, argv, opts, 0) || !fb_opt_required("--design", r->design) ||
        !fb_opt_required("--keys", r->keys) || !fb_opt_required("--output", r->output) ||
        !take_prefix(r, prefix, whole_keys) ||
        fb_opt_wrong(
            r->data_blocks && (prefix || r->block_format_name || r->params.capacity),
            "--data-blocks",
            "the filters of a LevelDB table have whole keys, their own sizes "
            "and the design's first format; not with --prefix, --capacity or --format-block"))
        return false;
    r->params.probes = (uint32_t)probes;
    r->block_format = fb_block_format(r->design, r->block_format_name);
    return r->block_format &&
           !fb_opt_wrong(r->format == FB_FORMAT_JSON && fb_output_is_stdout(r->output), "--output",
                         "with --format json the summary takes stdout; name a file");
}

/* Refuses before allocating what this machine cannot hold. */
static enum fb_err build_filter(const struct request *r, const struct fb_keys *keys,
                                struct fb_filter *out, const char **why)
{
    struct fb_params params = r->params;
    struct fb_geometry geom;
    enum fb_err err = fb_params_plan(r->design, keys->n, &params, &geom, why);
    if (err)
        return err;
    if (geom.n_bytes > fb_memory_limit() / 2) {
        *why = "the filter and its block would need more than half of this machine's memory";
        return FB_ENOMEM;
    }
    const struct fb_keys none = {.bytes = keys->bytes, .offset = keys->offset};
    const bool plain = r->prefix.kind == FB_PREFIX_NONE;
    if (!plain)
        err = fb_prefix_filter(&r->prefix, r->design, r->hash, &r->params, keys, out, why);
    if (!err && !out->design) /* whole keys, or no key in the domain of the prefix */
        err = fb_filter_build(r->design, r->hash, &r->params, plain ? keys : &none, out, why);
    if (err == FB_EUNSUPPORTED && !*why)
        *why = plain ? fb_keys_refused(r->design) : "prefixes are of bytes, not of typed keys";
    return err;
}

static enum fb_exit write_block(const struct request *r, const struct fb_filter *filter,
                                struct fb_output *out, uint64_t *n_bytes)
{
    *n_bytes = r->block_format->size(filter);
    uint8_t *block = malloc(*n_bytes + 1);
    if (!block)
        return fb_fail(r->output, FB_ENOMEM, NULL);
    const char *why;
    enum fb_err err = fb_filter_write(filter, r->block_format, block, &why);
    if (!err)
        fwrite(block, 1, *n_bytes, out->file);
    free(block);
    return err ? fb_fail(r->output, err, why) : fb_output_commit(out);
}

/* A number, or null for "not said". */
static json_t *positive(double x)
{
    return x > 0 ? fb_json_number(x) : json_null();
}

/* As JSON on stdout, or for people on stderr; takes the document. */
static enum fb_exit tell(const struct request *r, json_t *document)
{
    if (r->format == FB_FORMAT_JSON)
        return fb_print_answer(document, FB_FORMAT_JSON, NULL);
    fb_print_document(stderr, document);
    json_decref(document);
    return FB_EXIT_OK;
}

static enum fb_exit print_summary(const struct request *r, const struct fb_filter *filter,
                                  size_t n_given, uint64_t block_bytes)
{
    const bool own = filter->design->traits & FB_ONE_SIZE;
    const char *derived = fb_params_derived(filter->design, &r->params);
    const double bits = 8 * (double)filter->geom.n_bytes / (double)filter->n_keys;
    if (derived)
        fb_note("%s: %s derived from the design's own FPR function", filter->design->name, derived);
    json_t *document = json_pack(
        "{s:s, s:s*, s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:s?, s:o, s:o, s:I, s:I}", "design",
        filter->design->name, "hash", r->hash ? r->hash->name : NULL, "block", r->output,
        "format_block", r->block_format->name, "block_bytes", (json_int_t)block_bytes, "keys",
        (json_int_t)n_given, "keys_counted", (json_int_t)filter->n_keys, "bits_per_key",
        positive(own ? bits : filter->params.bits_per_key), "fpr", positive(filter->params.fpr),
        "derived", derived, "geometry", fb_geometry_json(filter), "predicted_fpr",
        fb_json_number(filter->design->fpr(&filter->geom, filter->n_keys)), "attempts",
        (json_int_t)filter->attempts, "temporary_bytes", (json_int_t)filter->temporary_bytes);
    json_auto_t *asked = fb_filter_prediction(filter);
    if (filter->geom.n_bits && json_object_get(asked, "random_keys_asked"))
        json_object_update(document, asked);
    return tell(r, document);
}

/* ---- --data-blocks: the filter block of a LevelDB table ---- */

struct data_blocks {
    const char *path;
    struct fb_data_block *list; /* malloc'd */
    size_t n, room;
};

/* "OFFSET KEYS", two decimal numbers. */
static bool take_data_block(void *arg, size_t number, char *line)
{
    enum { DIGITS = 19 }; /* of a number that 64 bits hold */
    static const char digits[] = "0123456789";
    struct data_blocks *all = arg;
    const size_t len = strspn(line, digits), gap = strspn(line + len, " \t");
    const char *keys = line + len + gap;
    const size_t keys_len = strspn(keys, digits);
    if (!len || !gap || !keys_len || keys[keys_len] || len > DIGITS || keys_len > DIGITS) {
        fb_error("%s:%zu: not the offset of a data block and its number of keys, as '4104 39'",
                 fb_file_name(all->path), number);
        return false;
    }
    if (all->n == all->room) {
        all->room = 2 * all->room + 16;
        struct fb_data_block *larger = realloc(all->list, all->room * sizeof *larger);
        if (!larger)
            return fb_fail(all->path, FB_ENOMEM, NULL) == FB_EXIT_OK;
        all->list = larger;
    }
    all->list[all->n++] = (struct fb_data_block){.offset = strtoull(line, NULL, 10),
                                                 .n_keys = strtoull(keys, NULL, 10)};
    return true;
}

static enum fb_exit build_table(const struct request *r, const struct fb_keys *keys,
                                struct fb_output *out)
{
    struct data_blocks data = {.path = r->data_blocks};
    size_t len, n_with_keys = 0;
    uint8_t *block;
    const char *why = NULL;
    enum fb_exit code = fb_file_lines(data.path, take_data_block, &data);
    if (!code && !data.n) {
        fb_error("%s: names no data block: a line 'OFFSET KEYS' each", fb_file_name(data.path));
        code = FB_EXIT_USAGE;
    }
    if (code) {
        free(data.list);
        return code;
    }
    enum fb_err err = fb_table_block_build(r->design, r->hash, &r->params, keys, data.list, data.n,
                                           &block, &len, &why);
    for (size_t i = 0; i < data.n; i++)
        n_with_keys += data.list[i].n_keys > 0;
    if (!err && data.list[data.n - 1].n_keys)
        fb_note("%s: no last line 'OFFSET 0' says where the data end: filters reach to the last "
                "data block, where LevelDB's may reach further",
                data.path);
    free(data.list);
    if (err)
        return fb_fail(r->design->name, err,
                       err == FB_EUNSUPPORTED && !why ? fb_keys_refused(r->design) : why);
    fwrite(block, 1, len, out->file);
    free(block);
    code = fb_output_commit(out);
    json_t *summary =
        json_pack("{s:s, s:s*, s:s, s:s, s:I, s:I, s:I}", "design", r->design->name, "hash",
                  r->hash ? r->hash->name : NULL, "block", r->output, "filters_of",
                  "a LevelDB table", "block_bytes", (json_int_t)len, "keys", (json_int_t)keys->n,
                  "data_blocks", (json_int_t)n_with_keys);
    if (!code)
        return tell(r, summary);
    json_decref(summary);
    return code;
}

/* ---- The verb ---- */

static enum fb_exit build_block(const struct request *r, const struct fb_keys *keys,
                                struct fb_output *out)
{
    struct fb_filter filter = {0};
    const char *why = NULL;
    uint64_t block_bytes;
    enum fb_err err = build_filter(r, keys, &filter, &why);
    if (err == FB_EFULL) {
        fb_error("%s: these %zu keys found no place in a filter sized for %" PRIu64 ": %s",
                 r->design->name, keys->n, r->params.capacity ? r->params.capacity : keys->n, why);
        return FB_EXIT_USAGE;
    }
    enum fb_exit code = fb_fail(r->design->name, err, why);
    if (!code)
        code = write_block(r, &filter, out, &block_bytes);
    if (!code)
        code = print_summary(r, &filter, keys->n, block_bytes);
    fb_filter_close(&filter);
    return code;
}

static int build(int argc, char **argv)
{
    struct request r = {0};
    struct fb_output out = {0};
    struct fb_keyset set = {0};
    struct fb_problem problem;
    if (!take_options(&r, argc, argv))
        return FB_EXIT_USAGE;
    enum fb_exit code = fb_output_open(r.output, &out);
    if (!code)
        code = fb_file_read_keys(r.keys, r.keys_format, &set);
    if (!code && r.design->traits & FB_ONE_SIZE && (r.params.bits_per_key + r.params.fpr != 0)) {
        fb_refuse_size(&problem, r.design, r.params.fpr != 0 ? "-p" : "-b",
                       r.params.capacity ? r.params.capacity : set.keys.n);
        code = fb_fail("build", FB_EINVAL, problem.text);
    }
    if (!code)
        code = r.data_blocks ? build_table(&r, &set.keys, &out) : build_block(&r, &set.keys, &out);
    fb_output_close(&out);
    fb_keyset_close(&set);
    return (int)code;
}

const struct fb_verb fb_verb_build = {
    .name = "build",
    .example = "filterbench build -d leveldb -b 10 -k keys.txt -o f.block",
    .usage = "build -d DESIGN [-b BITS|-p FPR] -k FILE -o BLOCK [options]",
    .summary = "Build a filter from keys, with exactly the bytes that the real system writes",
    .help = "-d, --design D\tthe filter's design (`filterbench list designs`)\n"
            "-k, --keys FILE\tthe keys, added in their order; - reads stdin; at most 1 GiB is "
            "read from a pipe\n"
            "--keys-format F\tlines (default), nul, hex, len32, fixed:L, csv:COLUMN, u64, "
            "i32, i64, f32, f64 or typed\n"
            "-o, --output BLOCK\tthe file to write; - is stdout\n"
            "--format F\ttable (default) prints a summary on stderr; json prints it on stdout\n"
            "\n"
            "Size:\n"
            "-b, --bits-per-key B\tmemory in bits per key; fuse-8 and other designs of one size "
            "take none\n"
            "-p, --fpr P\ta target false-positive rate, such as 1%. Some real systems take only "
            "bits or only a rate, and we then convert\n"
            "--capacity N\tsize the filter for N keys (default: the keys in the file)\n"
            "--probes K\tprobe K bits per key (default: the design's own rule)\n"
            "\n"
            "Variants:\n"
            "--hash H\tanother hash function (`filterbench list hashes`)\n"
            "--format-block N\tanother block format (`filterbench describe DESIGN`)\n"
            "--prefix P\tadd prefixes of the keys as RocksDB does: fixed:N or capped:N bytes; "
            "fixed:N skips shorter keys\n"
            "--whole-keys\twith --prefix: add whole keys too\n"
            "--data-blocks FILE\twrite the filter block of a LevelDB table, with one filter "
            "for each 2 KiB of data. FILE has one line `OFFSET KEYS` per data block, and a last "
            "line `OFFSET 0` for the end\n",
    .main = build,
};
