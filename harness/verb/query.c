/* query: a block and keys in, one answer per key out. */
#include <inttypes.h>
#include <stdlib.h>

#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/print.h"
#include "harness/tree/prefix.h"
#include "harness/tree/table_block.h"
#include "harness/verb/block.h"
#include "harness/verb/verb.h"
#include "workloads/core/keys.h"

struct request {
    const struct fb_design *design;
    const struct fb_hash *hash;
    const struct fb_format *block_format;
    const char *block_format_name, *block, *keys, *keys_format;
    struct fb_prefix prefix;
    uint64_t data_block; /* of a table, where it starts; NONE: the block is a filter */
    enum fb_output_format format;
};

#define NONE UINT64_MAX

static bool take_options(struct request *r, int argc, char **argv)
{
    const char *prefix = NULL, *why;
    const struct fb_opt opts[] = {
        {"design", 'd', FB_OPT_DESIGN, &r->design, 0, 0},
        {"block", 'b', FB_OPT_TEXT, &r->block, 0, 0},
        {"hash", 0, FB_OPT_HASH, &r->hash, 0, 0},
        {"keys", 'k', FB_OPT_TEXT, &r->keys, 0, 0},
        {"keys-format", 0, FB_OPT_TEXT, &r->keys_format, 0, 0},
        {"prefix", 0, FB_OPT_TEXT, &prefix, 0, 0},
        {"data-block", 0, FB_OPT_COUNT, &r->data_block, 0, 1e18},
        {"format-block", 0, FB_OPT_TEXT, &r->block_format_name, 0, 0},
        {"format", 0, FB_OPT_FORMAT, &r->format, 0, 0},
        {0},
    };
    if (!fb_opt_parse(argc, argv, opts, 0) || !fb_opt_required("--design", r->design) ||
        !fb_opt_required("--block", r->block) || !fb_opt_required("--keys", r->keys))
        return false;
    if (prefix && !fb_prefix_parse(prefix, false, &r->prefix, &why)) {
        fb_error("--prefix %s: %s", prefix, why);
        return false;
    }
    if (fb_opt_wrong(r->data_block != NONE && (prefix || r->block_format_name), "--data-block",
                     "the filters of a LevelDB table have whole keys and the design's "
                     "first format; not with --prefix or --format-block"))
        return false;
    r->block_format = fb_block_format(r->design, r->block_format_name);
    return r->block_format;
}

static enum fb_exit print_json(const struct request *r, const struct fb_filter *filter,
                               const uint8_t *maybe, size_t n, size_t n_maybe)
{
    json_t *answers = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(answers, json_integer(maybe[i]));
    json_t *document =
        json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:o}", "design", filter->design->name,
                  "block", r->block, "reader", fb_filter_answers(filter), "isa",
                  fb_isa_name(filter->kernel->isa), "keys", (json_int_t)n, "maybe",
                  (json_int_t)n_maybe, "no", (json_int_t)(n - n_maybe), "answers", answers);
    return fb_print_answer(document, FB_FORMAT_JSON, NULL);
}

/* For the keys' prefixes; a key outside the domain may be present. */
static enum fb_err query_prefixes(const struct request *r, const struct fb_filter *filter,
                                  const struct fb_keys *keys, uint8_t *maybe, size_t *n_maybe)
{
    struct fb_keyset prefixes;
    size_t len, next = 0;
    if (keys->type)
        return FB_EUNSUPPORTED;
    enum fb_err err = fb_keyset_alloc(keys->n, keys->offset[keys->n], false, &prefixes);
    for (size_t i = 0; !err && i < keys->n; i++)
        if (fb_prefix_seek(&r->prefix, fb_key_len(keys, i), &len))
            fb_keyset_push(&prefixes, fb_key_at(keys, i), len, FB_KEY_BYTES);
    uint8_t *answers = err ? NULL : malloc(prefixes.keys.n + 1);
    if (!err)
        err = answers ? fb_filter_query_keys(filter, &prefixes.keys, answers, n_maybe) : FB_ENOMEM;
    for (size_t i = 0; !err && i < keys->n; i++) {
        const bool asked = fb_prefix_seek(&r->prefix, fb_key_len(keys, i), &len);
        maybe[i] = asked ? answers[next++] : 1;
        *n_maybe += !asked;
    }
    free(answers);
    fb_keyset_close(&prefixes);
    return err;
}

static enum fb_exit ask(const struct request *r, const struct fb_filter *filter,
                        const struct fb_keys *keys)
{
    size_t n_maybe;
    uint8_t *maybe = malloc(keys->n + 1);
    if (!maybe)
        return fb_fail(r->keys, FB_ENOMEM, NULL);
    enum fb_err err = r->prefix.kind == FB_PREFIX_NONE
                          ? fb_filter_query_keys(filter, keys, maybe, &n_maybe)
                          : query_prefixes(r, filter, keys, maybe, &n_maybe);
    const char *why = err != FB_EUNSUPPORTED ? NULL
                      : r->prefix.kind == FB_PREFIX_NONE
                          ? fb_keys_refused(r->design)
                          : "prefixes are of bytes, not of typed keys";
    enum fb_exit code = fb_fail(r->design->name, err, why);
    if (!code)
        fprintf(stderr, "%s: %zu keys: %zu maybe, %zu no (%s)\n", r->design->name, keys->n, n_maybe,
                keys->n - n_maybe, fb_filter_answers(filter));
    if (!code && r->format == FB_FORMAT_JSON)
        code = print_json(r, filter, maybe, keys->n, n_maybe);
    else
        for (size_t i = 0; !code && i < keys->n; i++)
            puts(maybe[i] ? "1" : "0");
    free(maybe);
    return code;
}

/* The filter that a table has for the data block, as LevelDB's reader finds it. */
static enum fb_exit load_from_table(const struct request *r, struct fb_filter *out)
{
    uint8_t *block;
    const uint8_t *part = NULL;
    size_t len, part_len = 0;
    const char *why = NULL;
    const struct fb_geometry no_bits = {.digest_words = 1};
    enum fb_exit code = fb_file_read(r->block, &block, &len);
    if (code)
        return code;
    const enum fb_table_answer answer =
        fb_table_block_find(block, len, r->data_block, &part, &part_len);
    enum fb_err err = answer == FB_TABLE_FILTER
                          ? fb_filter_read(r->design, r->block_format, part, part_len, out, &why)
                          : fb_filter_alloc(r->design, &no_bits, out);
    free(block);
    if (err == FB_ECORRUPT) {
        fb_error("%s: the filter of the data block at %" PRIu64 " is not one that %s reads: %s",
                 fb_file_name(r->block), r->data_block, r->design->name, why);
        return FB_EXIT_USAGE;
    }
    if (!err && answer == FB_TABLE_MAYBE)
        out->kernel = &fb_kernel_yes;
    return fb_fail(r->design->name, err, why);
}

static int query(int argc, char **argv)
{
    struct request r = {.data_block = NONE};
    struct fb_filter filter = {0};
    struct fb_keyset set = {0};
    uint64_t block_bytes;
    if (!take_options(&r, argc, argv))
        return FB_EXIT_USAGE;
    enum fb_exit code = r.data_block == NONE ? fb_block_load(r.design, r.block_format, r.block,
                                                             &filter, &block_bytes)
                                             : load_from_table(&r, &filter);
    filter.hash = r.hash;
    if (!code)
        code = fb_file_read_keys(r.keys, r.keys_format, &set);
    if (!code)
        code = ask(&r, &filter, &set.keys);
    fb_keyset_close(&set);
    fb_filter_close(&filter);
    return (int)code;
}

const struct fb_verb fb_verb_query = {
    .name = "query",
    .example = "filterbench query -d leveldb -b f.block -k keys.txt",
    .usage = "query -d DESIGN -b BLOCK -k FILE [options]",
    .summary = "Look keys up in a stored filter. Print 1 (maybe) or 0 (no) for each",
    .help = "-d, --design D\tthe design that reads the block\n"
            "-b, --block BLOCK\tthe file that build or the real system wrote; - is stdin\n"
            "-k, --keys FILE\tthe keys to look up; - reads stdin; at most 1 GiB is read from "
            "a pipe\n"
            "--keys-format F\tlines (default), nul, hex, len32, fixed:L, csv:COLUMN, u64, "
            "i32, i64, f32, f64 or typed\n"
            "--format F\ttable (default) prints lines, and counts on stderr; json prints one "
            "document\n"
            "\n"
            "Variants:\n"
            "--hash H\tthe hash that the block was built with, if it is not the design's own\n"
            "--format-block N\tthe block format (`filterbench describe DESIGN`)\n"
            "--prefix P\tlook up prefixes: fixed:N or capped:N bytes; the answer is 1 for "
            "keys shorter than a fixed prefix\n"
            "--data-block N\tfor the filter block of a LevelDB table: ask the filter of the "
            "data block at byte N\n",
    .main = query,
};
