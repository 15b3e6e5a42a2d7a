#include "harness/filter/mixed.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/core/rng.h"

/* What operation i of a block is. */
enum { REMOVE, LOOK_UP, INSERT, THREE };

size_t fb_mixed_ops(size_t words, uint32_t words_each)
{
    return words / words_each / THREE * THREE;
}

enum fb_err fb_mixed_open(struct fb_mixed *m, uint64_t stream, uint64_t n_keys, uint32_t words,
                          size_t n)
{
    *m = (struct fb_mixed){.counts = {.fewest_in = n_keys, .n_keys = n_keys},
                           .stream = stream,
                           .next = n_keys,
                           .in = n_keys,
                           .words = words,
                           .n = n,
                           .answers = malloc(n + 1),
                           .expected = calloc(n + 1, 1)};
    return m->answers && m->expected ? FB_OK : FB_ENOMEM;
}

void fb_mixed_close(struct fb_mixed *m)
{
    free(m->refused);
    free(m->answers);
    free(m->expected);
}

static void digest_of(const struct fb_mixed *m, uint64_t key, uint64_t *digest)
{
    for (uint32_t w = 0; w < m->words; w++)
        digest[w] = fb_mix64(m->stream + (key * m->words + w) * FB_GOLDEN64);
}

/* ---- Keys that found no place ---- */

static void refuse(struct fb_mixed *m, uint64_t key)
{
    if (m->n_refused == m->room) {
        const size_t room = m->room ? 2 * m->room : 64;
        uint64_t *more = realloc(m->refused, room * sizeof *more);
        if (!more) {
            m->short_of_memory = true;
            return;
        }
        m->refused = more;
        m->room = room;
    }
    m->refused[m->n_refused++] = key;
}

static bool is_refused(const struct fb_mixed *m, uint64_t key)
{
    size_t low = 0, high = m->n_refused;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (m->refused[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->n_refused && m->refused[low] == key;
}

/* Those that the row has left behind. */
static void forget_refused(struct fb_mixed *m)
{
    size_t n = 0;
    while (n < m->n_refused && m->refused[n] < m->oldest)
        n++;
    m->n_refused -= n;
    if (n)
        memmove(m->refused, m->refused + n, m->n_refused * sizeof *m->refused);
}

/* ---- A block ---- */

/* The next key from `key` on that is in. */
static uint64_t next_in(const struct fb_mixed *m, uint64_t key)
{
    while (is_refused(m, key))
        key++;
    return key;
}

/* Keys that go during the block are not looked up. */
static void draw(struct fb_mixed *m, uint64_t *digests)
{
    const size_t threes = m->n / THREE;
    uint64_t oldest = m->oldest;
    for (size_t t = 0; t < threes; t++, oldest++) {
        oldest = next_in(m, oldest);
        digest_of(m, oldest, digests + (t * THREE + REMOVE) * m->words);
        digest_of(m, m->next + t, digests + (t * THREE + INSERT) * m->words);
    }
    m->behind = oldest;
    for (size_t t = 0; t < threes; t++) {
        const size_t at = t * THREE + LOOK_UP;
        const uint64_t coin = fb_mix64(~m->stream + (m->next + t) * FB_GOLDEN64);
        const uint64_t key = m->behind + fb_mulhi64(fb_mix64(coin), m->next - m->behind);
        m->expected[at] = coin & 1 && !is_refused(m, key);
        digest_of(m, m->expected[at] ? key : ~key, digests + at * m->words);
    }
}

uint64_t fb_mixed_run(struct fb_mixed *m, struct fb_filter *f, const uint64_t *digests, size_t n)
{
    uint8_t *answers = m->answers + m->done;
    uint64_t sum = 0;
    unsigned turn = m->done % THREE;
    for (size_t i = 0; i < n; i++, digests += m->words) {
        answers[i] = (uint8_t)(turn == REMOVE    ? f->kernel->remove_batch(f, digests, 1)
                               : turn == LOOK_UP ? f->kernel->query(f, digests)
                                                 : f->kernel->add_batch(f, digests, 1));
        sum += answers[i];
        turn = turn == INSERT ? REMOVE : turn + 1;
    }
    m->done += n;
    return sum;
}

/* ---- Between blocks ---- */

static void count(struct fb_mixed *m)
{
    struct fb_mixed_counts *c = &m->counts;
    const size_t threes = m->n / THREE;
    m->oldest = m->behind;
    for (size_t t = 0; t < threes; t++) {
        const uint8_t *answer = m->answers + t * THREE;
        const bool present = m->expected[t * THREE + LOOK_UP];
        c->missed += !answer[REMOVE];
        c->present += present;
        c->denied += present && !answer[LOOK_UP];
        c->false_positives += !present && answer[LOOK_UP];
        c->refused += !answer[INSERT];
        if (!answer[INSERT])
            refuse(m, m->next + t);
        m->in -= !answer[INSERT];
    }
    c->removals += threes;
    c->lookups += threes;
    c->inserts += threes;
    m->next += threes;
}

/* Puts further keys in for those that were refused, in at most so many attempts a key. */
static void fill_up(struct fb_mixed *m, struct fb_filter *f, uint64_t *digest)
{
    enum { ATTEMPTS = 8 };
    for (uint64_t left = (m->counts.n_keys - m->in) * ATTEMPTS; left && m->in < m->counts.n_keys;
         left--, m->next++) {
        digest_of(m, m->next, digest);
        if (f->kernel->add_batch(f, digest, 1))
            m->in++;
        else
            refuse(m, m->next);
    }
    m->counts.fewest_in = m->in < m->counts.fewest_in ? m->in : m->counts.fewest_in;
}

void fb_mixed_prepare(struct fb_mixed *m, struct fb_filter *f, uint64_t *digests)
{
    if (m->done) {
        if (m->done < m->n) {
            draw(m, digests);
            fb_mixed_run(m, f, digests + m->done * m->words, m->n - m->done);
        }
        count(m);
        forget_refused(m);
        fill_up(m, f, digests);
        m->done = 0;
    }
    draw(m, digests);
}
