#include "filters/core/tuning.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

const struct fb_word fb_hint_words[] = {
    {"none", "no prefetch"},
    {"T0", "into all levels"},
    {"T1", "into the second level"},
    {"write", "for ownership (prefetchw)"},
    {0},
};
const struct fb_word fb_tuned_words[] = {
    {"block-32", "one 32-byte block a key"},
    {"line-64", "one line of 64 bytes a key"},
    {"scattered", "several lines a key"},
    {"touch-32", "yardstick"},
    {"touch-64", "yardstick"},
    {"fetch", "yardstick"},
    {0},
};
const struct fb_word fb_reach_words[] = {
    {"half-L2", "up to half of L2"},
    {"L2", "up to L2"},
    {"twice-L2", "up to twice L2"},
    {"quarter-L3", "up to a quarter of L3"},
    {"L3", "up to L3"},
    {"memory", "beyond L3"},
    {0},
};
const struct fb_word fb_tuned_work_words[] = {{"query", "lookups"}, {"insert", "inserts"}, {0}};

/* ---- The rows ---- */

/* In the order of enum fb_reach. */
#define NO                                                                                         \
    {                                                                                              \
        0, FB_HINT_NONE                                                                            \
    }
#define T0(a)                                                                                      \
    {                                                                                              \
        a, FB_HINT_T0                                                                              \
    }
#define T1(a)                                                                                      \
    {                                                                                              \
        a, FB_HINT_T1                                                                              \
    }
#define W(a)                                                                                       \
    {                                                                                              \
        a, FB_HINT_WRITE                                                                           \
    }

/* The yardsticks follow the designs of their line until a run has measured theirs. */
/* NOLINTBEGIN(bugprone-macro-parentheses): the arguments are lists in braces */
#define CLASSES(block_32, line_64, scattered)                                                      \
    {                                                                                              \
        [FB_TUNED_BLOCK_32] = block_32, [FB_TUNED_LINE_64] = line_64,                              \
        [FB_TUNED_SCATTERED] = scattered, [FB_TUNED_TOUCH_32] = block_32,                          \
        [FB_TUNED_TOUCH_64] = line_64, [FB_TUNED_FETCH] = line_64                                  \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
#define AT(...)                                                                                    \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/*
 * Where the numbers come from: `filterbench tune`, each entry beside the others in the same rounds,
 * on idle guests of two processors. The far half of amd-zen-4 was chosen beside filters of other
 * libraries.
 *
 * "default" is for other processors: of the entries that are best somewhere, those that lose least
 * elsewhere. Lookups of several lines a key are fastest without prefetch up to a quarter of L3 on
 * Zen 3, 4 and 5 and on Sapphire Rapids. 64-byte lines in memory with 40 keys ahead take 1.0 times
 * the best on Zen 4 and Sapphire Rapids and 1.3 on Zen 5. fb_tuning_fit has the rest.
 */
#define DEFAULT "default"
static const struct fb_tuning rows[] = {
    {.name = DEFAULT,
     .prefetch = {CLASSES(AT(NO, NO, T0(32), T1(32), T1(96), T1(128)),
                          AT(NO, T0(32), T0(32), T1(32), T1(96), T1(40)),
                          AT(NO, NO, NO, NO, T1(96), T1(128))),
                  CLASSES(AT(NO, NO, T0(32), T1(64), T1(96), T1(128)),
                          AT(NO, T0(32), T0(32), T1(64), T1(96), T1(64)),
                          AT(NO, NO, NO, T1(144), T1(144), T1(144)))}},
    {.name = "amd-zen-4",
     .prefetch = {CLASSES(AT(NO, NO, NO, NO, T1(192), T1(128)),
                          AT(NO, T0(24), T0(24), T1(32), T1(192), T1(32)),
                          AT(NO, NO, NO, NO, T1(128), T1(128))),
                  CLASSES(AT(NO, NO, NO, T1(64), T1(192), T1(128)),
                          AT(NO, NO, NO, T1(64), T1(192), T1(32)),
                          AT(NO, NO, NO, T1(144), T1(144), T1(144)))}},
    {.name = "amd-zen-5",
     .prefetch = {CLASSES(AT(NO, NO, NO, NO, T0(256), T0(96)),
                          AT(NO, NO, T0(32), T0(32), T0(256), T0(96)),
                          AT(NO, NO, NO, NO, T0(192), T0(128))),
                  CLASSES(AT(NO, NO, NO, NO, W(256), W(96)),
                          AT(NO, W(32), W(32), W(32), W(256), W(96)),
                          AT(NO, NO, NO, NO, W(256), W(96)))}},
    {.name = "intel-sapphire-rapids",
     .prefetch = {CLASSES(AT(NO, T0(48), T0(64), T1(128), T1(48), T1(128)),
                          AT(NO, T0(128), T0(32), T1(48), T1(48), T1(128)),
                          AT(NO, NO, NO, NO, T1(128), T1(128))),
                  CLASSES(AT(NO, W(32), T0(24), T1(96), T1(48), T1(128)),
                          AT(NO, W(48), T0(32), T0(64), T1(48), T1(128)),
                          AT(NO, T0(24), T0(64), T0(96), T1(144), T1(144)))}},
};

size_t fb_n_tunings(void)
{
    return sizeof rows / sizeof *rows;
}

const struct fb_tuning *fb_tuning_at(size_t i)
{
    return &rows[i];
}

const struct fb_tuning *fb_tuning_find(const char *name)
{
    for (size_t i = 0; i < fb_n_tunings(); i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    return NULL;
}

/* ---- This processor ---- */

#if defined(__x86_64__)

/* Families and models by which rows are chosen; models from first to last. */
static const struct {
    const char *vendor; /* ebx, edx, ecx of leaf 0 */
    unsigned family, first, last;
    const char *row;
} processors[] = {
    {"AuthenticAMD", 0x19, 0x10, 0x1F, "amd-zen-4"}, /* EPYC Genoa */
    {"AuthenticAMD", 0x19, 0x60, 0x7F, "amd-zen-4"},
    {"AuthenticAMD", 0x19, 0xA0, 0xAF, "amd-zen-4"}, /* EPYC Bergamo */
    {"AuthenticAMD", 0x1A, 0x00, 0x2F, "amd-zen-5"}, /* EPYC Turin */
    {"AuthenticAMD", 0x1A, 0x40, 0x4F, "amd-zen-5"},
    {"AuthenticAMD", 0x1A, 0x60, 0x7F, "amd-zen-5"},
    {"GenuineIntel", 6, 0x8F, 0x8F, "intel-sapphire-rapids"},
    {"GenuineIntel", 6, 0xCF, 0xCF, "intel-sapphire-rapids"}, /* Emerald Rapids */
};

static const char *row_here(void)
{
    unsigned a, b, c, d;
    char vendor[13] = "";
    if (!__get_cpuid(0, &a, &b, &c, &d))
        return DEFAULT;
    memcpy(vendor, &b, 4);
    memcpy(vendor + 4, &d, 4);
    memcpy(vendor + 8, &c, 4);
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return DEFAULT;
    const unsigned family = (a >> 8 & 15) + (a >> 20 & 255); /* of 6 and 15 on; all of ours */
    const unsigned model = (a >> 4 & 15) | (a >> 12 & 0xF0);
    for (size_t i = 0; i < sizeof processors / sizeof *processors; i++)
        if (!strcmp(processors[i].vendor, vendor) && processors[i].family == family &&
            processors[i].first <= model && model <= processors[i].last)
            return processors[i].row;
    return DEFAULT;
}

/* Bytes of the data cache of a level; 0: the processor does not say. Intel says it in leaf 4, AMD
 * in leaf 0x8000001D, in the same registers. */
static uint64_t cache_bytes(unsigned level)
{
    static const unsigned leaves[] = {4, 0x8000001D};
    enum { NO_CACHE, DATA, CODE, UNIFIED, MOST_CACHES = 16 };
    for (size_t l = 0; l < 2; l++)
        for (unsigned i = 0; i < MOST_CACHES; i++) {
            unsigned a, b, c, d;
            if (!__get_cpuid_count(leaves[l], i, &a, &b, &c, &d) || (a & 31) == NO_CACHE)
                break;
            if ((a & 31) != CODE && (a >> 5 & 7) == level)
                return (uint64_t)((b >> 22) + 1) * ((b >> 12 & 1023) + 1) * ((b & 4095) + 1) *
                       ((uint64_t)c + 1);
        }
    return 0;
}

#else

static const char *row_here(void)
{
    return DEFAULT;
}

static uint64_t cache_bytes(unsigned level)
{
    (void)level;
    return 0;
}

#endif

void fb_tuning_fit(struct fb_tuning *t, uint64_t l2_bytes, uint64_t l3_bytes)
{
    enum { MOST_L2_IN_L3 = 16 };
    static const struct fb_prefetch alone = NO, soon = T0(32);
    const struct fb_prefetch entry = l2_bytes > UINT64_C(1) << 20 ? soon : alone;
    t->l2_bytes = l2_bytes;
    t->l3_bytes = l3_bytes;
    if (t->l3_bytes > l2_bytes * MOST_L2_IN_L3)
        t->l3_bytes = l2_bytes * MOST_L2_IN_L3;
    if (t->l3_bytes < l2_bytes)
        t->l3_bytes = l2_bytes;
    if (strcmp(t->name, DEFAULT) != 0)
        return;
    for (int work = 0; work < FB_N_TUNED_WORKS; work++)
        t->prefetch[work][FB_TUNED_BLOCK_32][FB_REACH_L2] =
            t->prefetch[work][FB_TUNED_TOUCH_32][FB_REACH_L2] = entry;
    t->prefetch[FB_TUNED_INSERT][FB_TUNED_SCATTERED][FB_REACH_L2] = entry;
    t->prefetch[FB_TUNED_INSERT][FB_TUNED_SCATTERED][FB_REACH_TWICE_L2] = entry;
}

void fb_tuning_detect(struct fb_tuning *out)
{
    const uint64_t l2 = cache_bytes(2), l3 = cache_bytes(3);
    *out = *fb_tuning_find(row_here());
    fb_tuning_fit(out, l2 ? l2 : UINT64_C(1) << 20, l3 ? l3 : UINT64_C(32) << 20);
}

/* ---- In force ---- */

static struct fb_tuning in_force;

__attribute__((constructor)) static void begin(void)
{
    fb_tuning_detect(&in_force);
}

static bool allowed(struct fb_prefetch p, size_t work)
{
    if (p.hint == FB_HINT_NONE)
        return p.ahead == 0;
    return p.hint < FB_N_HINTS && (p.hint != FB_HINT_WRITE || work == FB_TUNED_INSERT) &&
           p.ahead >= 8 && p.ahead <= FB_AHEAD_MOST && p.ahead % 8 == 0;
}

enum fb_err fb_tuning_set(const struct fb_tuning *tuning)
{
    if (!tuning) {
        fb_tuning_detect(&in_force);
        return FB_OK;
    }
    if (!tuning->l2_bytes || tuning->l3_bytes < tuning->l2_bytes ||
        !memchr(tuning->name, 0, sizeof tuning->name))
        return FB_EINVAL;
    for (size_t work = 0; work < FB_N_TUNED_WORKS; work++)
        for (size_t tuned = 0; tuned < FB_N_TUNED; tuned++)
            for (size_t reach = 0; reach < FB_N_REACHES; reach++)
                if (!allowed(tuning->prefetch[work][tuned][reach], work))
                    return FB_EINVAL;
    in_force = *tuning;
    return FB_OK;
}

const struct fb_tuning *fb_tuning_now(void)
{
    return &in_force;
}

enum fb_reach fb_tuning_reach(const struct fb_tuning *t, uint64_t n_bytes)
{
    const uint64_t bound[] = {
        [FB_REACH_NEAR] = t->l2_bytes / 2,     [FB_REACH_L2] = t->l2_bytes,
        [FB_REACH_TWICE_L2] = 2 * t->l2_bytes, [FB_REACH_QUARTER_L3] = t->l3_bytes / 4,
        [FB_REACH_L3] = t->l3_bytes,
    };
    size_t reach = 0;
    while (reach < FB_REACH_MEMORY && n_bytes > bound[reach])
        reach++;
    return (enum fb_reach)reach;
}

struct fb_prefetch fb_prefetch_for(enum fb_tuned_work work, enum fb_tuned tuned, uint64_t n_bytes)
{
    return in_force.prefetch[work][tuned][fb_tuning_reach(&in_force, n_bytes)];
}

enum fb_reach fb_reach_across(const struct fb_filter *const *filters, size_t n)
{
    uint64_t n_bytes = 0;
    for (size_t r = 0; r < n; r++) {
        if (!filters[r])
            continue;
        if (filters[r]->reach)
            return (enum fb_reach)(filters[r]->reach - 1);
        n_bytes += filters[r]->geom.n_bytes;
    }
    return fb_tuning_reach(&in_force, n_bytes);
}

void fb_filter_among(struct fb_filter *f, uint64_t n_bytes)
{
    f->reach = (uint8_t)(1 + fb_tuning_reach(&in_force, n_bytes));
}
