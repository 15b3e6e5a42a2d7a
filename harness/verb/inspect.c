/* inspect: what a block holds and what rate its bits predict. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "filters/core/bits.h"
#include "filters/core/simulate.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/print.h"
#include "harness/verb/block.h"
#include "harness/verb/verb.h"

enum { BINS = 16 };

struct request {
    const struct fb_design *design;
    const struct fb_format *block_format;
    const char *block_format_name, *block;
    uint64_t n_keys;
    enum fb_output_format format;
};

static bool take_options(struct request *r, int argc, char **argv)
{
    const struct fb_opt opts[] = {
        {"design", 'd', FB_OPT_DESIGN, &r->design, 0, 0},
        {"block", 'b', FB_OPT_TEXT, &r->block, 0, 0},
        {"format-block", 0, FB_OPT_TEXT, &r->block_format_name, 0, 0},
        {"keys-count", 'n', FB_OPT_COUNT, &r->n_keys, 1, (double)FB_MAX_KEYS},
        {"format", 0, FB_OPT_FORMAT, &r->format, 0, 0},
        {0},
    };
    if (!fb_opt_parse(argc, argv, opts, 0) || !fb_opt_required("--design", r->design) ||
        !fb_opt_required("--block", r->block))
        return false;
    r->block_format = fb_block_format(r->design, r->block_format_name);
    return r->block_format;
}

/* Set bits per block as a histogram of at most BINS bins. */
static json_t *block_occupancy(const struct fb_filter *f)
{
    uint64_t n = f->geom.n_blocks, bytes = f->geom.block_bits / 8;
    uint64_t least = UINT64_MAX, most = 0, bins[BINS] = {0};
    double sum = 0, squares = 0;
    for (uint64_t b = 0; b < n; b++) {
        uint64_t ones = fb_bits_set(f->bytes + b * bytes, bytes);
        least = ones < least ? ones : least;
        most = ones > most ? ones : most;
        sum += (double)ones;
        squares += (double)ones * (double)ones;
    }
    uint64_t width = (most - least) / BINS + 1;
    for (uint64_t b = 0; b < n; b++)
        bins[(fb_bits_set(f->bytes + b * bytes, bytes) - least) / width]++;
    json_t *rows = json_array();
    for (uint64_t i = 0; i <= (most - least) / width; i++)
        json_array_append_new(
            rows, json_pack("{s:I, s:I, s:I, s:f}", "from", (json_int_t)(least + i * width), "to",
                            (json_int_t)(least + i * width + width - 1), "blocks",
                            (json_int_t)bins[i], "share", (double)bins[i] / (double)n));
    double mean = sum / (double)n, variance = squares / (double)n - mean * mean;
    return json_pack("{s:f, s:f, s:I, s:I, s:o}", "mean", mean, "sd",
                     sqrt(variance > 0 ? variance : 0), "least", (json_int_t)least, "most",
                     (json_int_t)most, "histogram", rows);
}

/* Fill of BINS equal stretches of bytes: even, unless hashing or the block is broken. */
static json_t *region_fill(const struct fb_filter *f)
{
    json_t *rows = json_array();
    uint64_t step = f->geom.n_bytes / BINS + (f->geom.n_bytes % BINS != 0);
    for (uint64_t at = 0; at < f->geom.n_bytes; at += step) {
        uint64_t n = f->geom.n_bytes - at < step ? f->geom.n_bytes - at : step;
        uint64_t ones = fb_bits_set(f->bytes + at, n), bits = 8 * n;
        if (8 * at + bits > f->geom.n_bits && f->geom.n_bits > 8 * at)
            bits = f->geom.n_bits - 8 * at; /* the last byte may be used in part */
        json_array_append_new(rows,
                              json_pack("{s:I, s:I, s:I, s:f}", "first_bit", (json_int_t)(8 * at),
                                        "bits", (json_int_t)bits, "ones", (json_int_t)ones, "fill",
                                        (double)ones / (double)bits));
    }
    return rows;
}

/* {ones, fill, what fb_filter_prediction has, set_bits_per_block or regions} */
static json_t *fill_of(const struct fb_filter *f)
{
    uint64_t ones = fb_bits_set(f->bytes, f->geom.n_bytes);
    double fill = (double)ones / (double)f->geom.n_bits;
    const char *name = f->geom.n_blocks ? "set_bits_per_block" : "regions";
    json_t *parts = f->geom.n_blocks ? block_occupancy(f) : region_fill(f);
    json_t *j = json_pack("{s:I, s:f}", "ones", (json_int_t)ones, "fill", fill);
    json_object_update_new(j, fb_filter_prediction(f));
    json_object_set_new(j, name, parts);
    return j;
}

/* The design's prediction once n keys are in: its formula, or where that does not fit and the size
 * allows, a simulation of ideal hash words. */
static double theory(const struct fb_filter *f, uint64_t n, const char **how)
{
    enum { FILTERS = 8, QUERIES = 250000, MOST_INSERTIONS = 20000000 };
    const struct fb_geometry *geom = &f->geom;
    enum fb_scheme scheme = f->design->scheme;
    *how = "closed form";
    if (!fb_scheme_needs_simulation(scheme, n, geom->n_bits, geom->probes))
        return f->design->fpr(geom, n);
    *how = "simulated, 8 filters asked about 250000 absent keys each";
    uint64_t events = 0, sum = 0;
    bool small = n <= MOST_INSERTIONS / geom->probes;
    for (uint64_t i = 0; small && i < FILTERS; i++, sum += events)
        small = !fb_simulate_filter(scheme, n, geom->n_bits, geom->probes, QUERIES, i, &events);
    if (small)
        return (double)sum / ((double)FILTERS * QUERIES);
    *how = "closed form for ideal probes; too large to simulate here";
    return f->design->fpr(geom, n);
}

/* {keys, bits_per_key, predicted_fpr_from_theory, theory} */
static json_t *theory_of(const struct fb_filter *f, uint64_t n)
{
    const char *how = NULL;
    double rate = f->geom.n_bits && f->geom.probes ? theory(f, n, &how) : NAN;
    return json_pack("{s:I, s:f, s:o, s:s?}", "keys", (json_int_t)n, "bits_per_key",
                     8 * (double)f->geom.n_bytes / (double)n, "predicted_fpr_from_theory",
                     fb_json_number(rate), "theory", how);
}

static json_t *inspection(const struct request *r, const struct fb_filter *f, uint64_t block_bytes)
{
    const struct fb_params *stored = &f->params;
    json_t *document = json_pack(
        "{s:s, s:s, s:s, s:I, s:s, s:o, s:o*, s:o*}", "design", f->design->name, "block", r->block,
        "format_block", r->block_format->name, "block_bytes", (json_int_t)block_bytes, "reader",
        fb_filter_answers(f), "geometry", fb_geometry_json(f), "stored_capacity",
        stored->capacity ? fb_json_int(stored->capacity) : NULL, "stored_fpr",
        stored->fpr > 0 ? fb_json_number(stored->fpr) : NULL);
    if (r->n_keys)
        json_object_update_new(document, theory_of(f, r->n_keys));
    if (f->geom.n_bits && !strcmp(fb_filter_answers(f), "probes"))
        json_object_update_new(document, fill_of(f));
    return document;
}

/* Whether so few keys can set so many bits, of designs whose keys set a bit for each probe. */
static bool can_hold(const struct request *r, const struct fb_filter *f)
{
    const uint64_t ones = fb_bits_set(f->bytes, f->geom.n_bytes), each = f->geom.probes;
    if (f->design->build || f->design->when_full || !each || ones <= r->n_keys * each)
        return true;
    fb_error("--keys-count %" PRIu64 ": a key sets at most %" PRIu64 " bits, and this block has "
             "%" PRIu64 " set: it holds at least %" PRIu64 " keys",
             r->n_keys, each, ones, fb_divide_up(ones, each));
    return false;
}

static int inspect(int argc, char **argv)
{
    struct request r = {0};
    struct fb_filter filter = {0};
    uint64_t block_bytes;
    if (!take_options(&r, argc, argv))
        return FB_EXIT_USAGE;
    enum fb_exit code = fb_block_load(r.design, r.block_format, r.block, &filter, &block_bytes);
    if (!code && r.n_keys && !can_hold(&r, &filter))
        code = FB_EXIT_USAGE;
    if (!code)
        code = fb_print_answer(inspection(&r, &filter, block_bytes), r.format, fb_print_document);
    fb_filter_close(&filter);
    return (int)code;
}

const struct fb_verb fb_verb_inspect = {
    .name = "inspect",
    .example = "filterbench inspect -d leveldb -b f.block -n 1000",
    .usage = "inspect -d DESIGN -b BLOCK [-n KEYS] [options]",
    .summary = "Show a stored filter's geometry, its fill and the FPR to expect",
    .help = "-d, --design D\tthe design that reads the block\n"
            "-b, --block BLOCK\tthe file that build or the real system wrote; - is stdin\n"
            "-n, --keys-count N\thow many keys are in it; adds the FPR that theory predicts\n"
            "--format-block N\tthe block format (`filterbench describe DESIGN`)\n"
            "--format table|json\thow to print the answer (table)\n"
            "\n"
            "The predicted FPR is that of this block: up to 2,097,152 random keys are looked up.\n",
    .main = inspect,
};
