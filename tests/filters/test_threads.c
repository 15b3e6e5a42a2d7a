/* Threads on one filter: abloom's free-threaded inserts, what plain ones would lose, lookups. */
#include "tests/unit.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/split_block.h"
#include "harness/filter/bits_taken.h"

enum { MOST_THREADS = 4, BLOCKS = 4096, KEYS_A_BLOCK = 4 };

static const struct fb_kernel *atomic_kernel(const struct fb_design *design)
{
    for (const struct fb_kernel *const *k = design->kernels; *k; k++)
        if ((*k)->concurrent_add)
            return *k;
    return NULL;
}

static struct fb_filter empty_filter(void)
{
    const struct fb_design *design = fb_design_find("sbbf-512");
    struct fb_geometry geom = {.digest_words = 1, .range = fb_divisor_of(BLOCKS)};
    struct fb_filter f;
    fb_split_block_geometry(BLOCKS, 512, &geom);
    assert_int_equal(fb_filter_alloc(design, &geom, &f), FB_OK);
    return f;
}

/* Key `key` of a thread in a block: sbbf-512 picks the block by the high half. */
static uint64_t digest_in(uint64_t block, unsigned thread, unsigned key)
{
    uint64_t low = fb_mix64(block << 16 | (uint64_t)thread << 8 | key);
    return block << 32 | fb_lo32(low);
}

/* ---- Inserts of threads that go from block to block side by side ---- */

struct inserter {
    struct fb_filter *filter;
    size_t (*add)(struct fb_filter *, const uint64_t *digests, size_t n);
    unsigned index, n_threads;
    uint64_t *progress; /* [n_threads] blocks that a thread has done */
    pthread_t thread;
};

static void *insert_side_by_side(void *arg)
{
    struct inserter *in = arg;
    uint64_t digests[KEYS_A_BLOCK];
    for (uint64_t block = 0; block < BLOCKS; block++) {
        for (unsigned key = 0; key < KEYS_A_BLOCK; key++)
            digests[key] = digest_in(block, in->index, key);
        /* The others are at this block, too; they get time on a machine with few cores. */
        for (unsigned other = 0; other < in->n_threads; other++)
            for (unsigned spin = 1; __atomic_load_n(in->progress + other, __ATOMIC_RELAXED) < block;
                 spin++)
                if (spin % 256 == 0)
                    sched_yield();
        in->add(in->filter, digests, KEYS_A_BLOCK);
        __atomic_store_n(in->progress + in->index, block + 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

/* Bits missing from the filter that n threads fill at a time, beside one filled in sequence. */
static uint64_t bits_lost(unsigned n,
                          size_t (*add)(struct fb_filter *, const uint64_t *digests, size_t n))
{
    closed_by(fb_filter_close) struct fb_filter f = empty_filter(), want = empty_filter();
    struct inserter in[MOST_THREADS];
    uint64_t progress[MOST_THREADS] = {0}, lost = 0;
    for (unsigned i = 0; i < n; i++) {
        in[i] = (struct inserter){
            .filter = &f, .add = add, .index = i, .n_threads = n, .progress = progress};
        assert_int_equal(pthread_create(&in[i].thread, NULL, insert_side_by_side, &in[i]), 0);
    }
    for (unsigned i = 0; i < n; i++)
        pthread_join(in[i].thread, NULL);
    for (uint64_t block = 0; block < BLOCKS; block++)
        for (unsigned key = 0; key < n * KEYS_A_BLOCK; key++) {
            uint64_t digest = digest_in(block, key / KEYS_A_BLOCK, key % KEYS_A_BLOCK);
            want.kernel->add_batch(&want, &digest, 1);
        }
    for (uint64_t at = 0; at < want.geom.n_bytes; at += 8) {
        assert_int_equal(fb_le64(f.bytes + at) & ~fb_le64(want.bytes + at), 0);
        lost += (uint64_t)__builtin_popcountll(fb_le64(want.bytes + at) & ~fb_le64(f.bytes + at));
    }
    return lost;
}

TEST(atomic_inserts_lose_nothing)
{
    const struct fb_kernel *kernel = atomic_kernel(fb_design_find("sbbf-512"));
    assert_non_null(kernel);
    for (unsigned n = 1; n <= MOST_THREADS; n++)
        assert_int_equal(bits_lost(n, kernel->add_batch), 0);
}

/* A read-modify-write in three steps, as `word |= bit` is without atomics. Relaxed loads and stores
 * keep it defined. */
static size_t add_in_steps(struct fb_filter *f, const uint64_t *digests, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t *word =
            (uint64_t *)(void *)(f->bytes + fb_mod(fb_hi32(digests[i]), f->geom.range) * 64);
        for (int lane = 0; lane < FB_LANES; lane++) {
            uint64_t before = __atomic_load_n(word + lane, __ATOMIC_RELAXED);
            uint64_t bit = UINT64_C(1) << fb_lane_bit(fb_lo32(digests[i]), lane, 6);
            __atomic_store_n(word + lane, before | bit, __ATOMIC_RELAXED);
        }
    }
    return n;
}

/* abloom's reason for the atomic kernel. Whether threads meet is up to the machine: on one core, or
 * emulated, they may never. */
TEST(plain_inserts_lose_updates)
{
    uint64_t lost = 0;
    assert_int_equal(bits_lost(1, add_in_steps), 0);
    for (int i = 0; i < 50 && !lost; i++)
        lost = bits_lost(2, add_in_steps);
    if (!lost)
        skip();
    print_message("%llu bits lost\n", (unsigned long long)lost);
}

TEST(atomic_kernels_are_chosen_by_name_only)
{
    for (size_t d = 0; d < fb_n_designs(); d++)
        for (int isa = FB_ISA_NONE; isa < FB_N_ISAS; isa++) {
            const struct fb_kernel *k = fb_kernel_find(fb_design_at(d), (enum fb_isa)isa);
            assert_true(!k || !k->concurrent_add);
        }
    assert_string_equal(atomic_kernel(fb_design_find("sbbf-512-pow2"))->style, "atomic");
    assert_null(atomic_kernel(fb_design_find("sbbf-256")));
}

/* ---- Lookups ---- */

enum { KEYS = 3000 };

struct reader {
    const struct fb_filter *filter;
    const struct fb_kernel *kernel;
    const uint64_t *digests; /* [KEYS * words] */
    uint8_t maybe[KEYS];
    size_t hits, each;
    pthread_t thread;
};

static void *look_up(void *arg)
{
    struct reader *r = arg;
    r->hits = r->kernel->query_batch(r->filter, r->digests, KEYS, r->maybe);
    r->each = r->kernel->query_each(r->filter, r->digests, KEYS);
    return NULL;
}

static void readers_agree(const struct fb_filter *f, const struct fb_kernel *kernel,
                          const uint64_t *digests)
{
    static struct reader readers[MOST_THREADS];
    static uint8_t want[KEYS];
    size_t hits = f->design->kernels[0]->query_batch(f, digests, KEYS, want);
    for (int i = 0; i < MOST_THREADS; i++) {
        readers[i].filter = f;
        readers[i].kernel = kernel;
        readers[i].digests = digests;
        assert_int_equal(pthread_create(&readers[i].thread, NULL, look_up, &readers[i]), 0);
    }
    for (int i = 0; i < MOST_THREADS; i++) {
        pthread_join(readers[i].thread, NULL);
        assert_int_equal(readers[i].hits, hits);
        assert_int_equal(readers[i].each, hits);
        assert_memory_equal(readers[i].maybe, want, KEYS);
    }
}

static struct fb_filter built(const struct fb_design *design, uint64_t **digests)
{
    struct fb_params params = {.bits_per_key =
                                   design->traits & FB_CONTROL ? 0 : fb_bits_taken(design, 10)};
    const char *why;
    struct fb_geometry geom;
    struct fb_filter f;
    assert_int_equal(fb_params_plan(design, KEYS / 2, &params, &geom, &why), FB_OK);
    const size_t words = geom.digest_words;
    auto_free uint64_t *inserted = calloc(KEYS * words, sizeof *inserted);
    *digests = calloc(KEYS * words, sizeof **digests);
    for (size_t i = 0; i < KEYS * words; i++)
        inserted[i] = (*digests)[i] = fb_mix64(i + 1);
    assert_int_equal(fb_filter_build_digests(design, NULL, &params, inserted, KEYS / 2, &f, &why),
                     FB_OK);
    return f;
}

/* Every kernel of every design from several threads: half of the keys are in. */
TEST(lookups_from_threads_agree)
{
    for (size_t d = 0; d < fb_n_designs(); d++) {
        uint64_t *digests;
        closed_by(fb_filter_close) struct fb_filter f = built(fb_design_at(d), &digests);
        for (const struct fb_kernel *const *k = f.design->kernels; *k; k++)
            if (fb_cpu_has((*k)->isa))
                readers_agree(&f, *k, digests);
        free(digests);
    }
}

TESTS(NULL, NULL)
