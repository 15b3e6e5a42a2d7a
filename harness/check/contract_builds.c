/* Builds: step by step as at once; those that fail are tried again, as often as the design says;
 * filters that are not finished. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/builder.h"
#include "harness/check/contract_scene.h"

enum { N = FB_CONTRACT_N, CHUNK = 7 };

static void add_in_steps(struct fb_contract *c, struct fb_builder *b, size_t n)
{
    const char *why = NULL;
    size_t added;
    for (size_t i = 0; i < n; i += CHUNK) {
        const size_t some = n - i < CHUNK ? n - i : CHUNK;
        fb_require_ok(c, fb_builder_add(b, c->digests + i * c->words, some, &added, &why), &why,
                      "add");
        fb_require(c, added == some, "another number of keys added");
    }
}

static void check_steps(struct fb_contract *c, size_t n, bool known)
{
    const struct fb_params params = fb_contract_params(c->design);
    struct fb_builder b;
    struct fb_filter stepped;
    const char *why = NULL;
    const enum fb_err err = fb_builder_open(&b, c->design, NULL, &params, known ? n : 0, &why);
    fb_require(c, err == (known || c->design->digest_words ? FB_OK : FB_EINVAL),
               "a builder does not open, or opens though it cannot know the digests");
    fb_require(c, !err || why, "refused without a reason");
    if (!err) {
        fb_require(c, b.words == c->words, "digests of other words");
        add_in_steps(c, &b, n);
        fb_require_ok(c, fb_builder_finish(&b, &stepped, &why), &why, "finish");
        struct fb_filter whole = fb_contract_build(c, 0, 0, n);
        fb_contract_same(c, &stepped, &whole);
        /* Digests that wait, and the room for more of them. */
        const uint64_t waiting = b.room * c->words * sizeof *c->digests;
        fb_require(
            c, known || (b.room >= n && stepped.temporary_bytes == whole.temporary_bytes + waiting),
            "keys that waited took another amount of memory");
        fb_require(c, b.heap.held == waiting, "a build ends, and holds memory that it took");
        fb_filter_close(&stepped);
        fb_filter_close(&whole);
    }
    fb_builder_close(&b);
}

static void equals_the_filter_built_at_once(struct fb_contract *c)
{
    static const size_t sizes[] = {1, 2, 8, 300, N};
    fb_contract_make_digests(c);
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        fb_contract_do(c, "%zu keys, %s", sizes[i / 2], i % 2 ? "expected" : "not expected");
        check_steps(c, sizes[i / 2], i % 2);
    }
}

/* Fewer keys are expected than there is to be room for. */
static void makes_room_for_the_capacity(struct fb_contract *c)
{
    struct fb_params params = fb_contract_params(c->design);
    struct fb_builder b;
    struct fb_filter stepped;
    const char *why = NULL;
    params.capacity = 2 * (uint64_t)N;
    fb_contract_make_digests(c);
    fb_require_ok(c, fb_builder_open(&b, c->design, NULL, &params, N, &why), &why, "open");
    add_in_steps(c, &b, N);
    fb_require_ok(c, fb_builder_finish(&b, &stepped, &why), &why, "finish");
    struct fb_filter whole = fb_contract_build(c, params.capacity, 0, N);
    fb_contract_same(c, &stepped, &whole);
    fb_require(c, stepped.params.capacity == whole.params.capacity, "another capacity");
    fb_filter_close(&stepped);
    fb_filter_close(&whole);
    fb_builder_close(&b);
}

/* More keys than were expected: of a design that is filled as they come the filter is the one of
 * that capacity, unless it grew or is full; others are sized for what came. */
static void takes_more_keys_than_expected(struct fb_contract *c)
{
    const struct fb_design *design = c->design;
    const struct fb_params params = fb_contract_params(design);
    const bool waits = fb_design_waits(design);
    struct fb_builder b;
    struct fb_filter stepped;
    const char *why = NULL;
    size_t added;
    fb_contract_make_digests(c);
    fb_require_ok(c, fb_builder_open(&b, design, NULL, &params, 100, &why), &why, "open");
    const enum fb_err err = fb_builder_add(&b, c->digests, N, &added, &why);
    fb_require(c, err == (added < N ? FB_EFULL : FB_OK), "keys are missing without an error");
    fb_require(c, !err || (design->when_full && !design->grow && !waits && why),
               "full, of a design that never is");
    fb_require_ok(c, fb_builder_finish(&b, &stepped, &why), &why, "finish");
    fb_require(c, stepped.n_keys == added, "another number of keys counted");
    fb_contract_all_in(c, &stepped, 0, added);
    if (!design->grow) {
        struct fb_filter whole = fb_contract_build(c, waits ? 0 : 100, 0, added);
        fb_contract_same(c, &stepped, &whole);
        fb_filter_close(&whole);
    }
    fb_answer_word(&c->answers, added);
    fb_filter_close(&stepped);
    fb_builder_close(&b);
}

static void an_unfinished_filter_is_not_written(struct fb_contract *c)
{
    struct fb_filter raw;
    const char *why = NULL;
    fb_contract_make_digests(c);
    struct fb_filter f = fb_contract_build(c, 0, 0, N);
    fb_require_ok(c, fb_filter_alloc(c->design, &f.geom, &raw), NULL, "filter");
    if (raw.kernel->add_batch)
        raw.kernel->add_batch(&raw, c->digests, N);
    for (const struct fb_format *format = c->design->formats; format && format->name; format++) {
        uint8_t *block = fb_contract_alloc(c, (size_t)format->size(&f));
        why = NULL;
        fb_require(c, fb_filter_write(&raw, format, block, &why) == FB_EINVAL && why,
                   "an unfinished filter is written");
        fb_require_ok(c, fb_filter_write(&f, format, block, &why), &why, "write");
        free(block);
    }
    fb_filter_close(&raw);
    fb_filter_close(&f);
}

/* ---- Builds that fail ---- */

static _Thread_local const struct fb_design *real;
static _Thread_local unsigned failures;

/* Fails `failures` times, half of its keys placed, then builds as the real design does. */
static enum fb_err fail_first(struct fb_build *b, struct fb_filter *out)
{
    fb_heap_hold(b->heap, 1000 + failures);
    fb_heap_drop(b->heap, 1000 + failures);
    b->placed = b->n / 2;
    if (failures) {
        failures--;
        return FB_EFULL;
    }
    if (real->build)
        return real->build(b, out);
    b->placed = out->kernel->add_batch(out, b->digests, b->n);
    return b->placed < b->n ? FB_EFULL : FB_OK;
}

static struct fb_design failing(const struct fb_design *design, unsigned times)
{
    struct fb_design copy = *design;
    copy.build = fail_first;
    real = design;
    failures = times;
    return copy;
}

/* Builds as the real design does; the memory that it keeps, of all its attempts. */
static _Thread_local uint64_t kept_bytes;

static enum fb_err weigh(struct fb_build *b, struct fb_filter *out)
{
    struct fb_heap *heap = b->heap;
    const uint64_t held = heap->held;
    const enum fb_err err = fail_first(b, out);
    kept_bytes += heap->held - held;
    return err;
}

static void a_build_gives_its_memory_back(struct fb_contract *c)
{
    static const size_t sizes[] = {1, 300, N};
    struct fb_design weighed = failing(c->design, 0);
    weighed.build = weigh;
    fb_contract_make_digests(c);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct fb_filter f;
        const char *why = NULL;
        fb_contract_do(c, "%zu keys", sizes[i]);
        kept_bytes = 0;
        fb_require_ok(c, fb_contract_try(c, &weighed, 0, 0, sizes[i], &f, &why), &why, "build");
        fb_require(c, !kept_bytes, "a build ends, and holds memory that it took");
        fb_filter_close(&f);
    }
}

static void a_build_is_tried_again(struct fb_contract *c)
{
    enum { TIMES = 2, MOST_OF_ITS_OWN = 7 };
    const struct fb_design fails = failing(c->design, TIMES);
    struct fb_filter f;
    const char *why = NULL;
    fb_contract_make_digests(c);
    const enum fb_err err = fb_contract_try(c, &fails, 0, 0, N, &f, &why);
    fb_require(c, err == (c->design->retry ? FB_OK : FB_EFULL), "tried again without retry()");
    fb_require(c, failures == (c->design->retry ? 0 : TIMES - 1), "given up too early or too late");
    if (err) {
        fb_require(c, !f.bytes && why == c->design->when_full, "given up without when_full");
        return;
    }
    fb_require(c, f.attempts > TIMES && f.attempts <= TIMES + 1 + MOST_OF_ITS_OWN,
               "another number of attempts");
    fb_require(c, f.temporary_bytes >= 1000 + TIMES, "memory of a failed attempt is not told");
    struct fb_filter first = fb_contract_build(c, 0, 0, N);
    fb_require(c, !fb_contract_same_geometry(&f.geom, &first.geom), "the next attempt is the same");
    fb_contract_all_in(c, &f, 0, N);
    const double most = 3 * c->design->fpr(&f.geom, N) * N;
    fb_require(c, (double)fb_contract_hits(c, &f, N, N) <= most + 5 * sqrt(most) + 1,
               "the rate of a later attempt is not the predicted one");
    fb_answer_word(&c->answers, f.attempts);
    fb_filter_close(&first);
    fb_filter_close(&f);
}

/* One key, again and again: a filter that is built of them fails where one that takes them one by
 * one is full, and be it by the last of them. */
static void building_fails_where_adding_is_full(struct fb_contract *c)
{
    enum { MOST = 12 };
    const struct fb_design *design = c->design;
    struct fb_params params = fb_contract_params(design);
    if (!fb_design_adds(design) || design->build || design->grow)
        return;
    params.capacity = MOST;
    fb_contract_make_digests(c);
    for (size_t n = 1; n <= MOST; n++) {
        uint64_t *same = fb_contract_alloc(c, n * c->words * sizeof *same);
        struct fb_filter added_to = fb_contract_build(c, MOST, 0, 0), built;
        const char *why = NULL;
        size_t added;
        for (size_t i = 0; i < n; i++)
            memcpy(same + i * c->words, c->digests, c->words * sizeof *same);
        const enum fb_err one_by_one = fb_filter_add_digests(&added_to, same, n, &added, &why);
        const enum fb_err at_once =
            fb_filter_build_digests(design, NULL, &params, same, n, &built, &why);
        fb_filter_close(&added_to);
        fb_filter_close(&built);
        free(same);
        fb_require(c, one_by_one == (added < n ? FB_EFULL : FB_OK), "full without an error");
        fb_require(c, at_once == one_by_one, "a build of keys that have no room ends well");
    }
}

static void a_build_gives_up(struct fb_contract *c)
{
    enum { TIMES = 1000 };
    const struct fb_design fails = failing(c->design, TIMES);
    const struct fb_params params = fb_contract_params(c->design);
    struct fb_builder b;
    struct fb_filter f;
    const char *why = NULL;
    fb_contract_make_digests(c);
    fb_require_ok(c, fb_builder_open(&b, &fails, NULL, &params, N, &why), &why, "open");
    add_in_steps(c, &b, N);
    fb_require(c, fb_builder_finish(&b, &f, &why) == FB_EFULL, "a build that always fails ends");
    fb_require(c, !f.bytes && why == c->design->when_full, "given up without when_full");
    fb_require(c, b.placed >= 1 && b.placed <= N / 2, "another number of keys placed");
    const unsigned tried = TIMES - failures;
    fb_require(c, c->design->retry ? tried >= 2 && tried <= FB_MAX_ATTEMPTS : tried == 1,
               "another number of attempts");
    fb_answer_word(&c->answers, tried);
    fb_builder_close(&b);
}

const struct fb_contract_part fb_contract_builds[] = {
    {"steps", "a filter built step by step is the one built at once",
     equals_the_filter_built_at_once},
    {"capacity", "there is room for the capacity", makes_room_for_the_capacity},
    {"more keys", "more keys than expected are taken, or refused", takes_more_keys_than_expected},
    {"unfinished", "a filter that is not finished is not written",
     an_unfinished_filter_is_not_written},
    {"memory", "a build gives back the memory that it takes", a_build_gives_its_memory_back},
    {"retries", "a build that fails is tried again where the design says so",
     a_build_is_tried_again},
    {"no room", "a build fails where adding finds no room", building_fails_where_adding_is_full},
    {"giving up", "a build that always fails gives up", a_build_gives_up},
    {0},
};
