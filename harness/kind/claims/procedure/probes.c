/* Procedures: where probes really fall, and how many of them a lookup takes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/kind/claims/procedure/rig.h"

/* Percent of digests whose bits are those of a reading. `actual` names the design's own reading,
 * which must give all of them; theory is 100 where the reading under test is that one, else the
 * chance that both fall on the same bits: one in `chance_one_in`, or none. */
static enum fb_err agreement(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_probe_rig rig;
    const char *tested = fb_arg_text(args, "reading", ""),
               *own = fb_arg_text(args, "actual", tested);
    const struct fb_probe_reading *reading = fb_probe_reading_find(tested),
                                  *actual = fb_probe_reading_find(own);
    uint64_t samples = fb_arg_count(args, "samples", 1000), agree = 0, own_agree = 0;
    uint64_t digest[FB_MAX_PROBES];
    if (!reading || !actual)
        return fb_bench_fail(bench, FB_EINVAL, "no reading '%s'", reading ? own : tested);
    enum fb_err err = fb_probe_rig_open(bench, args, "design", &rig);
    rig.msb_first = actual->msb_first;
    for (uint64_t i = 0; i < samples && !err; i++) {
        err = fb_probe_rig_show(bench, &rig, i, digest);
        if (err)
            break;
        agree += fb_probe_reading_agrees(reading, &rig, digest);
        own_agree += fb_probe_reading_agrees(actual, &rig, digest);
    }
    fb_probe_rig_close(&rig);
    if (err)
        return err;
    double one_in = fb_arg_number(args, "chance_one_in", INFINITY), n = (double)samples;
    double chance = reading == actual ? 1 : 1 / one_in;
    fb_find_exact(out, 100 * chance, 100 * (double)agree / n);
    out->tolerance = own_agree < samples ? -1 : 100 * fb_find_z() * sqrt(chance * (1 - chance) / n);
    return FB_OK;
}

/* Probes of `probes` whose positions are not uniform: chi-square over 64 parts of the filter. */
static enum fb_err probe_uniformity(struct fb_bench *bench, const json_t *args,
                                    struct fb_finding *out)
{
    enum { PARTS = 64 };
    const struct fb_probe_reading *reading =
        fb_probe_reading_find(fb_arg_text(args, "reading", ""));
    uint64_t samples = fb_arg_count(args, "samples", 200000);
    struct fb_probe_rig rig;
    uint64_t digest[FB_MAX_PROBES];
    unsigned off = 0;
    if (!reading)
        return fb_bench_fail(bench, FB_EINVAL, "no such reading");
    enum fb_err err = fb_probe_rig_open(bench, args, "design", &rig);
    const struct fb_geometry *geom = &rig.filter.geom;
    for (unsigned probe = 0; !err && probe < geom->probes; probe++) {
        uint64_t count[PARTS] = {0};
        for (uint64_t i = 0; i < samples && !err; i++) {
            err = fb_probe_rig_digest(bench, &rig, i, digest);
            if (!err)
                count[reading->position(geom, digest, probe) * PARTS / geom->n_bits]++;
        }
        double chi2 = fb_chi2_even(count, PARTS, (double)samples / PARTS);
        off += fb_chi2_tail(chi2, PARTS - 1) < 1e-6;
    }
    fb_probe_rig_close(&rig);
    if (!err) {
        fb_find_exact(out, 0, off);
        snprintf(out->remark, sizeof out->remark,
                 "each probe is uniform; all of them are functions of two numbers, so together "
                 "they are not independent");
    }
    return err;
}

/* Mean number of 64-byte lines that the bits of a key lie in. */
static enum fb_err cache_lines(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_probe_rig rig;
    uint64_t samples = fb_arg_count(args, "samples", 500), lines = 0;
    uint64_t digest[FB_MAX_PROBES];
    enum fb_err err = fb_probe_rig_open(bench, args, "design", &rig);
    for (uint64_t i = 0; i < samples && !err; i++) {
        uint64_t last = UINT64_MAX;
        err = fb_probe_rig_show(bench, &rig, i, digest);
        if (err)
            break;
        for (size_t j = 0; j < rig.n; j++) {
            uintptr_t line = (uintptr_t)(rig.filter.bytes + rig.position[j] / 8) / FB_CACHE_LINE;
            lines += line != last;
            last = line;
        }
    }
    if (!err) {
        double total = ceil((double)rig.filter.geom.n_bytes / FB_CACHE_LINE), theory = 1;
        bool scattered = !rig.filter.geom.n_blocks;
        if (scattered)
            theory = total * (1 - fb_pow(1 - 1 / total, rig.filter.geom.probes));
        fb_find_exact(out, theory, (double)lines / (double)samples);
        out->tolerance = scattered ? 0.01 * theory : 0;
    }
    fb_probe_rig_close(&rig);
    return err;
}

/* Reads of one absent key until the first zero. */
static unsigned reads_of(const struct fb_probe_reading *reading, const struct fb_filter *f,
                         const uint64_t *digest)
{
    unsigned i = 0;
    while (i < f->geom.probes && fb_bit_lsb(f->bytes, reading->position(&f->geom, digest, i)))
        i++;
    return i < f->geom.probes ? i + 1 : i;
}

/* Mean reads of absent keys in a real filter. */
static enum fb_err absent_probes(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    enum { CHUNK = 10000 };
    struct fb_filter filter;
    const struct fb_probe_reading *reading =
        fb_probe_reading_find(fb_arg_text(args, "reading", "independent"));
    uint64_t n = fb_arg_count(args, "n", 0), probes = fb_arg_count(args, "probes", 1000000),
             reads = 0;
    uint64_t *digests = malloc(sizeof *digests * CHUNK * FB_MAX_PROBES);
    enum fb_err err = fb_bench_filter(bench, args, "design", n, &filter);
    if (!err && (!digests || !reading))
        err = digests ? fb_bench_fail(bench, FB_EINVAL, "no such reading") : FB_ENOMEM;
    unsigned words = filter.geom.digest_words;
    for (uint64_t done = 0; done < probes && !err; done += CHUNK) {
        struct fb_keyset set = {0};
        err = fb_bench_keys(bench, 0, n + done, CHUNK, &set);
        if (!err)
            err = fb_digest_keys(filter.design, NULL, words, &set.keys, digests);
        for (size_t i = 0; i < CHUNK && !err; i++)
            reads += reads_of(reading, &filter, digests + i * words);
        fb_keyset_close(&set);
    }
    if (!err) {
        double theory =
            fb_bloom_absent_probes((double)filter.geom.n_bits / (double)n, filter.geom.probes);
        fb_find_exact(out, theory, (double)reads / (double)probes);
        out->tolerance = 0.01 * theory;
        out->probes = probes;
        snprintf(out->remark, sizeof out->remark, "a present key takes all %u", filter.geom.probes);
    }
    fb_filter_close(&filter);
    free(digests);
    return err;
}

/* The bit that probe i adds to probes 0..i-1 of one digest, by a filter with i + 1 probes. */
static enum fb_err probe_position(struct fb_bench *bench, const json_t *args,
                                  struct fb_finding *out)
{
    uint64_t i = fb_arg_count(args, "i", 0), before[FB_MAX_PROBES] = {0};
    const uint64_t digest[2] = {fb_arg_hex(args, "h1"), fb_arg_hex(args, "h2")};
    double found = -1;
    size_t n_before = 0;
    fb_u128 m = 0;
    enum fb_err err = FB_OK;
    for (uint64_t k = i ? i : 1; k <= i + 1 && !err; k++) {
        struct fb_probe_rig rig;
        json_t *one = json_copy((json_t *)args);
        json_object_set_new(one, "k", json_integer((json_int_t)k));
        err = fb_probe_rig_open(bench, one, "design", &rig);
        json_decref(one);
        if (err)
            break;
        fb_probe_rig_set(&rig, digest);
        m = rig.filter.geom.n_bits;
        for (size_t j = 0; j < rig.n && k == i + 1; j++) {
            bool old = false;
            for (size_t b = 0; b < n_before; b++)
                old |= before[b] == rig.position[j];
            if (!old)
                found = (double)rig.position[j];
        }
        n_before = rig.n;
        memcpy(before, rig.position, sizeof before);
        fb_probe_rig_close(&rig);
    }
    /* The sum wraps at 2^64, then is reduced: in 128 bits, so that the wrap is explicit. */
    if (!err) {
        fb_u128 sum = (fb_u128)digest[0] + (fb_u128)i * digest[1];
        fb_find_exact(out, (double)(uint64_t)((sum & UINT64_MAX) % m), found);
    }
    return err;
}

/* The step of LevelDB's probes for a hash: by formula, and as the rotation whose probes are the
 * design's. */
static enum fb_err rotation(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_probe_rig rig;
    uint32_t h = (uint32_t)fb_arg_hex(args, "h");
    double found = -1;
    enum fb_err err = fb_probe_rig_open(bench, args, "design", &rig);
    if (err)
        return err;
    fb_probe_rig_set(&rig, &(uint64_t){h});
    for (unsigned r = 1; r < 32; r++) {
        uint32_t step = fb_rotr32(h, r), x = h;
        unsigned hits = 0;
        for (unsigned i = 0; i < rig.filter.geom.probes; i++, x += step)
            for (size_t j = 0; j < rig.n; j++)
                hits += rig.position[j] == x % rig.filter.geom.n_bits;
        if (hits == rig.filter.geom.probes)
            found = step;
    }
    fb_find_exact(out, (h >> 17) + (double)(uint32_t)(h << 15), found);
    fb_probe_rig_close(&rig);
    return FB_OK;
}

/* Distinct values of h + 2 rotr(h, 17) over all h = A 2^17 + B. The value depends on 2 A + B alone;
 * A = 0 and the two largest B reach every sum, and random h must add none. */
static enum fb_err third_probe_values(struct fb_bench *bench, const json_t *args,
                                      struct fb_finding *out)
{
    enum { AS = 1 << 15, BS = 1 << 17, EDGES = BS + 2 * AS };
    size_t n = EDGES + (size_t)fb_arg_count(args, "samples", 1000000), distinct = 1;
    uint32_t *probe = malloc(n * sizeof *probe);
    if (!probe)
        return FB_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        uint32_t j = (uint32_t)(i - BS), edge = (j % AS) << 17 | (BS - 1 - j / AS);
        uint32_t h = i < BS ? (uint32_t)i : i < EDGES ? edge : fb_lo32(fb_mix64(bench->root + i));
        probe[i] = h + 2 * fb_rotr32(h, 17);
    }
    qsort(probe, n, sizeof *probe, fb_compare_u32);
    for (size_t i = 1; i < n; i++)
        distinct += probe[i] != probe[i - 1];
    free(probe);
    /* 2 A + B runs from 0 to 2 (2^15 - 1) + 2^17 - 1. */
    fb_find_exact(out, 2 * (AS - 1.0) + BS, (double)distinct);
    return FB_OK;
}

/* Keys whose line is not the byte offset that the article's expression gives. */
static enum fb_err line_choice(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_probe_rig rig;
    uint64_t samples = fb_arg_count(args, "samples", 1000), misses = 0;
    enum fb_err err = fb_probe_rig_open(bench, args, "design", &rig);
    for (uint64_t i = 0; i < samples && !err; i++) {
        uint64_t digest;
        err = fb_probe_rig_show(bench, &rig, i, &digest);
        if (err)
            break;
        uint64_t a = (uint64_t)fb_lo32(digest) * rig.filter.geom.n_bytes;
        misses += !rig.n || rig.position[0] / 512 * 64 != ((uint32_t)(a >> 32) & ~UINT32_C(63));
    }
    fb_probe_rig_close(&rig);
    if (!err)
        fb_find_exact(out, 0, (double)misses);
    return err;
}

const struct fb_procedure fb_judge_probes[] = {
    {"probe-agreement", agreement},
    {"probe-uniformity", probe_uniformity},
    {"cache-lines", cache_lines},
    {"absent-probes", absent_probes},
    {"probe-position", probe_position},
    {"rotation", rotation},
    {"third-probe-values", third_probe_values},
    {"line-choice", line_choice},
    {0},
};
