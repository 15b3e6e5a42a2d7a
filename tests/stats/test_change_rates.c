/* How often runs cry wolf, and how often they see the wolf: whole runs simulated, with three looks
 * and a confirmation. No clock is read. */
#include "tests/serial_noise.h"
#include "tests/unit.h"

#include <stdbool.h>
#include <string.h>

#include "harness/stats/change.h"
#include "harness/stats/serial.h"

enum {
    CELLS = 4,
    SERIES = 2, /* of cells that one process measures */
    FIRST = 16, /* processes of the first look */
    LOOKS = 3,
    MOST = FIRST << (LOOKS - 1),
    RUNS = 2500, /* 10,000 comparisons */
};

#define DELTA 0.03
#define ALPHA 0.01

/* What the observations of a machine are like. Shares of the ratio: 0.02 is 2 %. */
struct world {
    const char *name;
    double effect;    /* of the head, in every cell */
    double spread;    /* sd of the noise between processes */
    double keep;      /* its correlation with the process before */
    double slow;      /* more noise as of neighbours that stay */
    double modes;     /* distance of two modes of each of base and head */
    double shared;    /* sd of noise that all cells of a process share */
    double slot;      /* what the first visit of a round costs more */
    double drift;     /* what each visit costs more than the visit before */
    bool heavy;       /* a tenth of the processes are ten times as noisy */
    bool fixed;       /* the base always goes first */
    size_t processes; /* 0: as many as the looks take */
};

/* Two rounds of visits, base head head base or head base base head: their mean log ratio. */
static double visits(const struct world *w, uint64_t stream, uint64_t process)
{
    double d = 0;
    for (uint64_t round = 2 * process; round < 2 * process + 2; round++) {
        bool head_first = !w->fixed && fb_stream_word(stream, round) & 1;
        for (uint64_t visit = 0; visit < 4; visit++) {
            bool head = (visit == 1 || visit == 2) != head_first;
            double cost = w->drift * (double)(4 * round + visit) + (visit ? 0 : w->slot);
            d += (head ? cost : -cost) / 4;
        }
    }
    return d;
}

/* d [CELLS][2 MOST]: a first set of processes and, at once after it, a second. */
static void observe(const struct world *w, uint64_t stream, double (*d)[2 * MOST])
{
    static double neighbours[2 * MOST];
    for (uint64_t c = 0; c < CELLS; c++) {
        const uint64_t own = fb_stream_word(stream, c), coins = fb_stream_word(stream, c + CELLS),
                       shared = fb_stream_word(stream, ~UINT64_C(0));
        noise_of_order_one(own, w->keep, d[c], (size_t)2 * MOST);
        memset(neighbours, 0, sizeof neighbours);
        if (w->slow > 0)
            noise_of_neighbours(own, w->slow, neighbours, (size_t)2 * MOST);
        for (uint64_t p = 0; p < (uint64_t)2 * MOST; p++) {
            const uint64_t coin = fb_stream_word(coins, p);
            const double mode = (double)(coin >> 60 & 1) - (double)(coin >> 61 & 1);
            d[c][p] =
                w->effect +
                w->spread * (d[c][p] * (w->heavy && coin % 10 == 0 ? 10 : 1) + neighbours[p]) +
                w->modes * mode + visits(w, coins, p);
            if (w->shared > 0)
                d[c][p] += w->shared * noise_at(shared, p);
        }
    }
}

static void judge(struct fb_change_cell *cells, size_t n, unsigned looks)
{
    struct fb_memory memory = {0};
    for (size_t c = 0; c < n; c++)
        fb_memory_add(&memory, cells[c].d, cells[c].n, c < SERIES);
    const struct fb_change_rules rules = {DELTA, ALPHA, looks, fb_memory_exponent(&memory)};
    fb_change_judge(&rules, cells, n);
}

static bool moved(const struct fb_change_cell *cell)
{
    return cell->change == FB_REGRESSED || cell->change == FB_IMPROVED;
}

/* Looks at 16, 32, 64 processes until no cell is inconclusive. */
static size_t look(const struct world *w, double (*d)[2 * MOST], struct fb_change_cell *cells)
{
    size_t n = w->processes ? w->processes : FIRST, open = CELLS;
    for (size_t last = w->processes ? w->processes : MOST;; n *= 2) {
        for (size_t c = 0; c < CELLS; c++)
            cells[c] = (struct fb_change_cell){.d = d[c], .n = n};
        judge(cells, CELLS, LOOKS);
        open = 0;
        for (size_t c = 0; c < CELLS; c++)
            open += cells[c].change == FB_INCONCLUSIVE;
        if (!open || n >= last)
            return n;
    }
}

static void confirm(double (*d)[2 * MOST], size_t n, struct fb_change_cell *cells)
{
    struct fb_change_cell again[CELLS], *whose[CELLS];
    size_t n_again = 0, fresh = 2 * n < MOST ? 2 * n : MOST;
    for (size_t c = 0; c < CELLS; c++) {
        if (!moved(&cells[c]))
            continue;
        whose[n_again] = &cells[c];
        again[n_again++] = (struct fb_change_cell){.d = d[c] + n, .n = fresh};
    }
    if (n_again)
        judge(again, n_again, 1);
    for (size_t i = 0; i < n_again; i++)
        fb_change_confirm(whose[i], &again[i]);
}

/* What an inconclusive first look says of the processes that it lacks: whether with so many more,
 * if there are so many, the cell is decided. */
static void try_more(double (*d)[2 * MOST], double *asked, double *decided)
{
    struct fb_change_cell cells[CELLS], then[CELLS];
    for (size_t c = 0; c < CELLS; c++)
        cells[c] = (struct fb_change_cell){.d = d[c], .n = FIRST};
    judge(cells, CELLS, LOOKS);
    for (size_t c = 0; c < CELLS; c++) {
        if (cells[c].change != FB_INCONCLUSIVE || FIRST + cells[c].more > MOST)
            continue;
        for (size_t k = 0; k < CELLS; k++)
            then[k] = (struct fb_change_cell){.d = d[k], .n = FIRST + (size_t)cells[c].more};
        judge(then, CELLS, LOOKS);
        *asked += 1;
        *decided += then[c].change != FB_INCONCLUSIVE;
    }
}

struct rates {
    double alarm, confirmed; /* shares of runs in which some cell moved, and was confirmed */
    double of[FB_N_CHANGES]; /* shares of cells, in the end */
    double processes;        /* mean, of the first set */
    double decided;          /* share of the cells that `more` told true of */
};

static struct rates rates_of(struct world w)
{
    static double d[CELLS][2 * MOST];
    struct rates r = {0};
    double asked = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        struct fb_change_cell cells[CELLS];
        bool alarm = false, confirmed = false;
        observe(&w, fb_stream_word(2026, run), d);
        size_t n = look(&w, d, cells);
        for (size_t c = 0; c < CELLS; c++) {
            alarm |= moved(&cells[c]);
            assert_int_equal(cells[c].advisory, n < FIRST);
        }
        confirm(d, n, cells);
        for (size_t c = 0; c < CELLS; c++) {
            confirmed |= moved(&cells[c]);
            assert_int_equal(cells[c].confirmed, moved(&cells[c]));
            r.of[cells[c].change] += 1.0 / RUNS / CELLS;
        }
        if (!w.processes)
            try_more(d, &asked, &r.decided);
        r.alarm += alarm / (double)RUNS;
        r.confirmed += confirmed / (double)RUNS;
        r.processes += (double)n / RUNS;
    }
    r.decided /= fmax(asked, 1);
    print_message("%s: runs that alarm %.4f, confirmed %.4f; cells", w.name, r.alarm, r.confirmed);
    for (int i = 0; i < FB_N_CHANGES; i++)
        print_message(" %s %.4f", fb_change_name((enum fb_change)i), r.of[i]);
    print_message("; %.1f processes; of %.0f asked for more %.2f were decided\n", r.processes,
                  asked, r.decided);
    return r;
}

TEST(nothing_changed)
{
    static const struct world worlds[] = {
        {.name = "loud", .spread = 0.1},
        {.name = "heavy tails", .spread = 0.03, .heavy = true},
        {.name = "two modes", .spread = 0.005, .modes = 0.1},
        {.name = "slots in random order", .spread = 0.005, .slot = 0.1},
        {.name = "noise that cells share", .spread = 0.05, .shared = 0.1},
        {.name = "like the process before", .spread = 0.1, .keep = 0.8},
    };
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        struct rates r = rates_of(worlds[i]);
        assert_true(r.alarm <= ALPHA);
        assert_true(r.confirmed <= ALPHA / 10);
    }
    /* Noise without a mean is beyond what the rules promise. */
    struct rates r = rates_of((struct world){.name = "1/f", .spread = 0.1, .slow = 0.5});
    assert_true(r.alarm <= 2 * ALPHA && r.confirmed <= ALPHA / 2);
    /* What costs both alike from visit to visit cancels, and a quiet machine says so. */
    r = rates_of((struct world){.name = "drift", .spread = 0.005, .drift = 0.01});
    assert_true(r.confirmed <= ALPHA / 10 && r.of[FB_UNCHANGED] >= 0.99 && r.processes < 20);
}

TEST(what_changed_is_found)
{
    struct rates r = rates_of((struct world){.name = "5 %", .effect = log(1.05), .spread = 0.02});
    assert_true(r.of[FB_REGRESSED] >= 0.98 && r.confirmed >= 0.99);
    assert_true(r.decided >= 0.8); /* by as many more processes as the first look asked for */
    r = rates_of((struct world){.name = "10 %, loud", .effect = log(1.1), .spread = 0.05});
    assert_true(r.of[FB_REGRESSED] >= 0.98);
    r = rates_of((struct world){
        .name = "-5 %, heavy tails", .effect = -log(1.05), .spread = 0.005, .heavy = true});
    assert_true(r.of[FB_IMPROVED] >= 0.98 && r.of[FB_REGRESSED] == 0);
}

/* A change of delta itself is called unchanged with probability alpha / 2 at most. */
TEST(equivalence_is_not_shown_of_a_change)
{
    struct rates r =
        rates_of((struct world){.name = "delta", .effect = log1p(DELTA), .spread = 0.01});
    assert_true(r.of[FB_UNCHANGED] <= ALPHA / 2);
}

/* A few processes cannot tell that each resembles the one before: they cry wolf, and are advisory.
 */
TEST(few_processes_only_advise)
{
    assert_true(
        rates_of((struct world){.name = "12 processes", .spread = 0.1, .processes = 12}).alarm <=
        ALPHA);
    assert_true(rates_of((struct world){.name = "12 processes, like the one before",
                                        .spread = 0.1,
                                        .keep = 0.8,
                                        .processes = 12})
                    .alarm > 0.3);
}

/* Where the base always goes first, what the first visit costs is taken for a change. */
TEST(a_fixed_order_alarms)
{
    assert_true(
        rates_of((struct world){
                     .name = "slots in fixed order", .spread = 0.005, .slot = 0.1, .fixed = true})
            .confirmed > 0.99);
}

/* ---- Many cells that move alike ---- */

static double share_uniform(double shift)
{
    enum { MANY = 12 };
    double d[MANY][FIRST], uniform = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        struct fb_change_cell cells[MANY];
        for (uint64_t c = 0; c < MANY; c++) {
            for (uint64_t p = 0; p < FIRST; p++)
                d[c][p] = shift + 0.02 * noise_at(fb_stream_word(run, c), p);
            cells[c] = (struct fb_change_cell){.d = d[c], .n = FIRST};
        }
        judge(cells, MANY, LOOKS);
        uniform += fb_change_uniform(cells, MANY, ALPHA) != 0;
    }
    print_message("shift %.2f: uniform %.4f\n", shift, uniform / RUNS);
    return uniform / RUNS;
}

TEST(uniform_shifts)
{
    assert_true(share_uniform(0) <= ALPHA);
    assert_true(share_uniform(0.02) >= 0.99);
}

TESTS(NULL, NULL)
