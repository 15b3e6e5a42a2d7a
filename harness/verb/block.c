#include "harness/verb/block.h"

#include <stdlib.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/filter/own_words.h"
#include "harness/stats/stats.h"
#include "harness/tree/table_block.h"
#include "workloads/core/rng.h"

const struct fb_format *fb_block_format(const struct fb_design *design, const char *name)
{
    const struct fb_format *native = design->formats;
    if (!native || !native->name) {
        fb_error("%s: this design has no block format", design->name);
        return NULL;
    }
    if (!name)
        return native;
    const struct fb_format *format = fb_format_find(design, name);
    if (format)
        return format;
    fb_error("--format-block: %s has no format '%s'%s ('filterbench describe %s' lists them)",
             design->name, name, fb_did_you_mean(name, native, sizeof *native), design->name);
    return NULL;
}

enum fb_exit fb_block_load(const struct fb_design *design, const struct fb_format *format,
                           const char *path, struct fb_filter *out, uint64_t *n_bytes)
{
    uint8_t *bytes;
    size_t len;
    const char *why;
    enum fb_exit code = fb_file_read(path, &bytes, &len);
    if (code)
        return code;
    if (fb_table_block_is_one(bytes, len))
        fb_note("%s: looks like the filter block of a LevelDB table, which holds many filters: "
                "query --data-block N asks one of them",
                fb_file_name(path));
    enum fb_err err = fb_filter_read(design, format, bytes, len, out, &why);
    free(bytes);
    *n_bytes = len;
    if (err)
        fb_error("%s: not a block that %s reads (format %s): %s", fb_file_name(path), design->name,
                 format->name, why ? why : fb_err_text(err));
    return err ? FB_EXIT_USAGE : FB_EXIT_OK;
}

const char *fb_keys_refused(const struct fb_design *design)
{
    return design->traits & FB_TAKES_KEYS ? "hashes keys itself, and takes no longer or typed ones"
                                          : "takes no typed keys, only bytes";
}

const char *fb_filter_answers(const struct fb_filter *filter)
{
    static const char *const texts[] = {
        [FB_ASKS] = "probes", [FB_SAYS_NO] = "always no", [FB_SAYS_YES] = "always yes"};
    return texts[fb_filter_constant(filter)];
}

json_t *fb_geometry_json(const struct fb_filter *filter)
{
    const struct fb_geometry *geom = &filter->geom;
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:o*}", "bytes", (json_int_t)geom->n_bytes, "bits",
                     (json_int_t)geom->n_bits, "blocks", (json_int_t)geom->n_blocks, "block_bits",
                     (json_int_t)geom->block_bits, "probes", (json_int_t)geom->probes, "own",
                     fb_own_words_json(filter->design, geom));
}

json_t *fb_filter_prediction(const struct fb_filter *f)
{
    enum { CHUNK = 1024, KEY = 16, ENOUGH = 10000, MOST = 1 << 21 };
    uint64_t offset[CHUNK + 1], asked = 0, passed = 0;
    uint8_t keys[CHUNK * KEY], maybe[CHUNK];
    const struct fb_keys chunk = {.bytes = keys, .offset = offset, .n = CHUNK};
    size_t n;
    for (uint64_t i = 0; i <= CHUNK; i++)
        offset[i] = i * KEY;
    for (; passed < ENOUGH && asked < MOST; asked += CHUNK, passed += n) {
        for (uint64_t i = 0; i < CHUNK * KEY; i += 8)
            fb_put_le64(keys + i, fb_stream_word(fb_stream_key(1, FB_DOMAIN_KEYS, asked), i));
        if (fb_filter_query_keys(f, &chunk, maybe, &n))
            return json_pack("{s:s}", "predicted_fpr", "it takes no random keys");
    }
    const struct fb_interval interval = fb_wilson(passed, asked, 0.95);
    return json_pack("{s:f, s:o, s:I}", "predicted_fpr", (double)passed / (double)asked,
                     "predicted_fpr_95", fb_json_interval(interval.low, interval.high),
                     "random_keys_asked", (json_int_t)asked);
}
