#include "harness/filter/plain_loop.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define AVX2   __attribute__((target("avx2,bmi2,popcnt")))
#define AVX512 __attribute__((target("avx2,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl")))
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define INLINE __attribute__((always_inline)) static inline

/* ---- The loops there are ---- */

#define LOOKING(isa, gathers, ahead)                                                               \
    {isa, gathers, {ahead, FB_HINT_T0}},                                                           \
    {                                                                                              \
        isa, gathers,                                                                              \
        {                                                                                          \
            ahead, FB_HINT_T1                                                                      \
        }                                                                                          \
    }
#define LOOPS(isa, gathers)                                                                        \
    {isa, gathers, {0, FB_HINT_NONE}}, LOOKING(isa, gathers, 16), LOOKING(isa, gathers, 32),       \
        LOOKING(isa, gathers, 64), LOOKING(isa, gathers, 128), LOOKING(isa, gathers, 256)

static const struct fb_plain_loop loops[] = {
    LOOPS(FB_ISA_SCALAR, false),
#if defined(__x86_64__)
    LOOPS(FB_ISA_AVX2, false),   LOOPS(FB_ISA_AVX2, true),
    LOOPS(FB_ISA_AVX512, false), LOOPS(FB_ISA_AVX512, true),
#elif defined(__aarch64__)
    LOOPS(FB_ISA_NEON, false),
#endif
};

const struct fb_plain_loop *fb_plain_loop_at(size_t i)
{
    return i < sizeof loops / sizeof *loops ? &loops[i] : NULL;
}

void fb_plain_loop_style(const struct fb_plain_loop *loop, char out[FB_PLAIN_STYLE])
{
    const char *form = loop->gathers ? "gather" : "plain";
    if (loop->how.hint == FB_HINT_NONE)
        snprintf(out, FB_PLAIN_STYLE, "%s", form);
    else
        snprintf(out, FB_PLAIN_STYLE, "%s%s-%u", loop->gathers ? "gather-" : "",
                 fb_hint_words[loop->how.hint].name, (unsigned)loop->how.ahead);
}

/* ---- What they do ---- */

/* What a loop works on. */
struct work {
    const uint8_t *lines;
    uint64_t n_lines;
    const uint64_t *digests;
    size_t n;
    uint8_t *maybe;
};

/* The line of a digest; `what` is a constant wherever it is asked. */
INLINE const uint8_t *line_of(const struct work *w, uint64_t digest, enum fb_yardstick what)
{
    return w->lines + ((digest >> 32) * w->n_lines >> 32) * (what == FB_YARD_TOUCH_32 ? 32 : 64);
}

INLINE void fetch(const uint8_t *line, enum fb_hint hint)
{
    if (hint == FB_HINT_T0)
        __builtin_prefetch(line, 0, 3);
    else if (hint == FB_HINT_T1)
        __builtin_prefetch(line, 0, 2);
}

INLINE bool all_scalar(const uint8_t *line, enum fb_yardstick what)
{
    const uint64_t *words = (const uint64_t *)(const void *)line;
    const size_t n = what == FB_YARD_FETCH ? 1 : what == FB_YARD_TOUCH_32 ? 4 : 8;
    uint64_t all = 1;
    for (size_t i = 0; i < n; i++)
        all &= words[i];
    return all;
}

/* One key after the other; ASKS(line, what). */
#define ONE_BY_ONE(name, TARGET, ASKS)                                                             \
    TARGET INLINE size_t name(struct work w, enum fb_yardstick what, size_t ahead,                 \
                              enum fb_hint hint)                                                   \
    {                                                                                              \
        const size_t fetched = hint == FB_HINT_NONE || w.n < ahead ? 0 : w.n - ahead;              \
        size_t hits = 0;                                                                           \
        for (size_t i = 0; i < ahead && i < w.n; i++)                                              \
            fetch(line_of(&w, w.digests[i], what), hint);                                          \
        for (size_t i = 0; i < fetched; i++) {                                                     \
            fetch(line_of(&w, w.digests[i + ahead], what), hint);                                  \
            hits += w.maybe[i] = ASKS(line_of(&w, w.digests[i], what), what);                      \
        }                                                                                          \
        for (size_t i = fetched; i < w.n; i++)                                                     \
            hits += w.maybe[i] = ASKS(line_of(&w, w.digests[i], what), what);                      \
        return hits;                                                                               \
    }

/* Eight keys with one instruction; EIGHT(&w, i) asks for keys i to i + 7. */
#define GATHERING(name, TARGET, EIGHT)                                                             \
    TARGET INLINE size_t name(struct work w, enum fb_yardstick what, size_t ahead,                 \
                              enum fb_hint hint)                                                   \
    {                                                                                              \
        size_t hits = 0, i = 0;                                                                    \
        for (; i < ahead && i < w.n; i++)                                                          \
            fetch(line_of(&w, w.digests[i], what), hint);                                          \
        for (i = 0; i + 8 <= w.n; i += 8) {                                                        \
            for (size_t j = i + ahead; hint != FB_HINT_NONE && j < i + ahead + 8 && j < w.n; j++)  \
                fetch(line_of(&w, w.digests[j], what), hint);                                      \
            hits += EIGHT(&w, i);                                                                  \
        }                                                                                          \
        for (; i < w.n; i++)                                                                       \
            hits += w.maybe[i] = all_scalar(line_of(&w, w.digests[i], what), what);                \
        return hits;                                                                               \
    }

/* The loop that `how` and `what` pick, all of it inlined. */
#define PER_HINT(loop, what)                                                                       \
    (how.hint == FB_HINT_T0   ? loop(w, what, how.ahead, FB_HINT_T0)                               \
     : how.hint == FB_HINT_T1 ? loop(w, what, how.ahead, FB_HINT_T1)                               \
                              : loop(w, what, 0, FB_HINT_NONE))
#define RUN(name, TARGET, loop)                                                                    \
    TARGET static size_t name(struct work w, enum fb_yardstick what, struct fb_prefetch how)       \
    {                                                                                              \
        return what == FB_YARD_TOUCH_32   ? PER_HINT(loop, FB_YARD_TOUCH_32)                       \
               : what == FB_YARD_TOUCH_64 ? PER_HINT(loop, FB_YARD_TOUCH_64)                       \
                                          : PER_HINT(loop, FB_YARD_FETCH);                         \
    }
#define RUN_FETCH(name, TARGET, loop)                                                              \
    TARGET static size_t name(struct work w, struct fb_prefetch how)                               \
    {                                                                                              \
        return PER_HINT(loop, FB_YARD_FETCH);                                                      \
    }

#define PLAIN
ONE_BY_ONE(scalar, PLAIN, all_scalar)
RUN(run_scalar, PLAIN, scalar)

#if defined(__x86_64__)

AVX2 INLINE bool all_avx2(const uint8_t *line, enum fb_yardstick what)
{
    const __m256i *half = (const __m256i *)(const void *)line, one = _mm256_set1_epi64x(1);
    if (what == FB_YARD_FETCH)
        return *(const uint64_t *)(const void *)line & 1;
    __m256i all = _mm256_load_si256(half);
    if (what == FB_YARD_TOUCH_64)
        all = _mm256_and_si256(all, _mm256_load_si256(half + 1));
    return _mm256_testc_si256(all, one);
}

AVX512 INLINE bool all_avx512(const uint8_t *line, enum fb_yardstick what)
{
    const __m512i one = _mm512_set1_epi64(1);
    if (what == FB_YARD_TOUCH_64)
        return _mm512_testn_epi64_mask(_mm512_load_si512(line), one) == 0;
    return all_avx2(line, what);
}

ONE_BY_ONE(avx2, AVX2, all_avx2)
RUN(run_avx2, AVX2, avx2)
ONE_BY_ONE(avx512, AVX512, all_avx512)
RUN(run_avx512, AVX512, avx512)

AVX2 INLINE unsigned four_words(const struct work *w, size_t i)
{
    const __m256i n_lines = _mm256_set1_epi64x((int64_t)w->n_lines);
    __m256i at = _mm256_loadu_si256((const __m256i *)(const void *)(w->digests + i));
    at = _mm256_srli_epi64(_mm256_mul_epu32(_mm256_srli_epi64(at, 32), n_lines), 32);
    __m256i words = _mm256_i64gather_epi64((const void *)w->lines, _mm256_slli_epi64(at, 3), 8);
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_slli_epi64(words, 63)));
}

/* Bit i of eight becomes byte i. */
AVX2 INLINE size_t keep(uint8_t *maybe, unsigned eight)
{
    const uint64_t bytes = _pdep_u64(eight, UINT64_C(0x0101010101010101));
    memcpy(maybe, &bytes, sizeof bytes);
    return (size_t)__builtin_popcount(eight);
}

AVX2 INLINE size_t eight_avx2(const struct work *w, size_t i)
{
    return keep(w->maybe + i, four_words(w, i) | four_words(w, i + 4) << 4);
}

AVX512 INLINE size_t eight_avx512(const struct work *w, size_t i)
{
    const __m512i n_lines = _mm512_set1_epi64((int64_t)w->n_lines);
    __m512i at = _mm512_srli_epi64(_mm512_loadu_si512(w->digests + i), 32);
    at = _mm512_slli_epi64(_mm512_srli_epi64(_mm512_mul_epu32(at, n_lines), 32), 3);
    __m512i words = _mm512_i64gather_epi64(at, w->lines, 8);
    return keep(w->maybe + i, _mm512_test_epi64_mask(words, _mm512_set1_epi64(1)));
}

GATHERING(gather_avx2, AVX2, eight_avx2)
RUN_FETCH(run_gather_avx2, AVX2, gather_avx2)
GATHERING(gather_avx512, AVX512, eight_avx512)
RUN_FETCH(run_gather_avx512, AVX512, gather_avx512)

#elif defined(__aarch64__)

INLINE bool all_neon(const uint8_t *line, enum fb_yardstick what)
{
    const uint64_t *words = (const uint64_t *)(const void *)line;
    if (what == FB_YARD_FETCH)
        return words[0] & 1;
    uint64x2_t all = vandq_u64(vld1q_u64(words), vld1q_u64(words + 2));
    if (what == FB_YARD_TOUCH_64)
        all = vandq_u64(all, vandq_u64(vld1q_u64(words + 4), vld1q_u64(words + 6)));
    return vgetq_lane_u64(all, 0) & vgetq_lane_u64(all, 1) & 1;
}

ONE_BY_ONE(neon, PLAIN, all_neon)
RUN(run_neon, PLAIN, neon)

#endif

/* NOLINTBEGIN(readability-non-const-parameter): the loops write to `maybe` */
size_t fb_plain_loop(const struct fb_plain_loop *loop, enum fb_yardstick what,
                     const struct fb_filter *f, const uint64_t *digests, size_t n, uint8_t *maybe)
{
    const struct work w = {f->bytes, f->geom.n_blocks, digests, n, maybe};
#if defined(__x86_64__)
    if (loop->gathers)
        return loop->isa == FB_ISA_AVX2 ? run_gather_avx2(w, loop->how)
                                        : run_gather_avx512(w, loop->how);
    if (loop->isa == FB_ISA_AVX2)
        return run_avx2(w, what, loop->how);
    if (loop->isa == FB_ISA_AVX512)
        return run_avx512(w, what, loop->how);
#elif defined(__aarch64__)
    if (loop->isa == FB_ISA_NEON)
        return run_neon(w, what, loop->how);
#endif
    return run_scalar(w, what, loop->how);
}
/* NOLINTEND(readability-non-const-parameter) */
