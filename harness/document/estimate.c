#include "harness/document/estimate.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/parallel.h"
#include "harness/base/progress.h"
#include "harness/document/history.h"
#include "harness/measure/clock.h"
#include "harness/measure/processes.h"
#include "harness/stats/paired.h"

enum { GUIDES = 5 };  /* runs that an estimate is the median of */
enum { DRAWS = 24 };  /* of cells that pieces are run of, */
enum { STRIDE = 5 };  /* each fifth before the others */
enum { REPEATS = 3 }; /* of a piece */
/* Fresh pages make the first run of a piece take two to five times as long as the third. In long
 * runs a fiftieth of that was found (fpr-n-large, fpr-rates); a single cell has all of it. */
static const double COLD = 0.02;
static const double ALL_S = 1;    /* that the last pieces of the cells take together */
static const double ENOUGH_S = 5; /* then no further cell is begun, */
static const double LATEST_S = 5; /* and a piece is ended */

/* The ends of the range: what pieces miss, and what else the machine does meanwhile. Pieces are
 * run a few at a time, so they tend to say too much. */
static const double LOW = 0.66, HIGH = 1.31;

/* ---- Plans ---- */

static bool is_measured(const json_t *row)
{
    const json_t *why = json_object_get(row, "why_not");
    return !why || json_is_null(why);
}

double fb_cost_work(const json_t *row)
{
    static const char *const names[] = {"work", "seconds"};
    for (size_t i = 0; is_measured(row) && i < 2; i++)
        if (json_object_get(row, names[i]))
            return fb_json_num(row, names[i]);
    return is_measured(row);
}

/* The sum of a member over the rows that are measured. */
static double sum_of(const json_t *rows, const char *member)
{
    double sum = 0;
    FB_EACH(row, rows) {
        const double value = is_measured(row) ? fb_json_num(row, member) : 0;
        sum += isnan(value) ? 0 : value;
    }
    return sum;
}

/* ---- Pieces ---- */

struct sampling {
    struct fb_piece how;
    double cold; /* share of the run's cells whose memory is new to the process */
};

struct piece {
    double seconds, cpu_s, work; /* cpu_s: of all its threads, begun and ended */
};

/* Of this process and all its threads. */
static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The first and the last of REPEATS times that a piece is run. */
static struct piece repeat(const struct fb_opened *e, size_t row, double part,
                           const struct sampling *s)
{
    struct piece out = {0};
    for (int i = 0; i < REPEATS; i++) {
        const double weight = i == 0 ? s->cold : i + 1 == REPEATS ? 1 - s->cold : 0;
        const double started_s = fb_seconds(), started_cpu_s = cpu_seconds();
        out.work = e->kind->piece(e->self, row, part, &s->how);
        out.seconds += weight * (fb_seconds() - started_s);
        out.cpu_s += weight * (cpu_seconds() - started_cpu_s);
    }
    return out;
}

/* Runs a part of a cell in a process of its own, whose lines on stderr are lost. False: it could
 * not be run, or took too long. */
static bool run_piece(const struct fb_opened *e, size_t row, double part, const struct sampling *s,
                      struct piece *out)
{
    int ends[2];
    out->work = 0;
    if (fflush(stdout) || pipe(ends))
        return false;
    const pid_t child = fork();
    if (!child) {
        const bool quiet = freopen("/dev/null", "w", stderr) && freopen("/dev/null", "w", stdout);
        *out = quiet ? repeat(e, row, part, s) : (struct piece){0};
        _exit(!fb_transfer_out(ends[1], out, sizeof *out));
    }
    struct pollfd ready = {.fd = ends[0], .events = POLLIN};
    close(ends[1]);
    const bool there = child > 0 && poll(&ready, 1, (int)(1000 * LATEST_S)) > 0 &&
                       fb_transfer_in(ends[0], out, sizeof *out);
    close(ends[0]);
    if (child > 0) {
        (void)kill(child, SIGKILL);
        (void)!waitpid(child, NULL, 0);
    }
    return there && out->work > 0 && out->seconds > 0;
}

/*
 * Seconds for a unit of work of a whole cell, from larger and larger pieces of it, until one takes
 * enough_s of the processors; 0: none could be run. Their time tells how large a piece was, however
 * busy the machine is. A unit takes what the last piece had more than the one before it, as both
 * have what threads take to begin. In larger filters a unit takes longer: half of the growth that
 * these two show is carried on to the whole, as caches end.
 */
static double rate_of(const struct fb_opened *e, size_t row, const struct sampling *s,
                      double enough_s)
{
    static const double SMALLEST = 1.0 / 32768, STEEPEST = 0.2;
    struct piece last = {0}, piece;
    const double started_s = fb_seconds();
    double rate = 0, growth = 0, part = 0, next = SMALLEST, first_s = 0;
    for (bool more = true; more && !fb_interrupted();) {
        double factor = 16;
        if (run_piece(e, row, next, s, &piece)) {
            first_s = first_s > 0 ? first_s : piece.cpu_s;
            const double average = piece.cpu_s / piece.work;
            growth = rate > 0 ? log(average * last.work / last.cpu_s) / log(next / part) : 0;
            const double more_s = piece.cpu_s - last.cpu_s, more_work = piece.work - last.work;
            rate =
                next < 1 && more_work > last.work ? fmax(more_s / more_work, average / 2) : average;
            part = next;
            last = piece;
            factor = fmin(16, fmax(2, enough_s / piece.cpu_s));
            more = piece.cpu_s < fmax(enough_s / 2, 2 * first_s);
        } /* else it was too small for a tree, or took too long */
        more = more && next < 1 && fb_seconds() - started_s < LATEST_S;
        next = fmin(1, next * factor);
    }
    const double larger = pow(1 / part, fmin(fmax(growth, 0), STEEPEST) / 2);
    const bool tells = rate > 0 && (part >= 1 || last.cpu_s > 2 * first_s);
    return tells ? rate * larger * last.seconds / last.cpu_s : 0;
}

/* The row in which the work up to `at` ends. */
static size_t row_at(const json_t *rows, double at)
{
    size_t last = 0;
    FB_EACH_AT(i, row, rows) {
        const double work = fb_cost_work(row);
        last = work > 0 ? i : last;
        at -= work;
        if (at < 0)
            break;
    }
    return last;
}

/* Seconds for a unit of work, on average over the work; NaN: no piece could be run. A cell is drawn
 * the more often the more of the work it has, and those drawn share the time. */
static double rate_by_pieces(const struct fb_opened *e, const json_t *rows, double work,
                             struct fb_piece how, size_t *n)
{
    const struct sampling sampling = {how, fmax(COLD, 1 / (double)json_array_size(rows))};
    struct fb_progress progress;
    const double started_s = fb_seconds();
    size_t row[DRAWS], times[DRAWS], n_rows = 0;
    double sum = 0, draws = 0;
    *n = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        const size_t drawn = row_at(rows, work * ((double)i + 0.5) / DRAWS);
        if (n_rows && row[n_rows - 1] == drawn) {
            times[n_rows - 1]++;
        } else {
            row[n_rows] = drawn;
            times[n_rows++] = 1;
        }
    }
    fb_progress_start(&progress, "estimate", n_rows);
    for (size_t k = 0; k < n_rows * STRIDE && !fb_interrupted(); k++) {
        const size_t i = k % n_rows * STRIDE + k / n_rows; /* far apart, as the time may end */
        if (i >= n_rows || fb_seconds() - started_s > ENOUGH_S)
            continue;
        const double rate = rate_of(e, row[i], &sampling, ALL_S * (double)times[i] / DRAWS);
        *n += rate > 0;
        draws += rate > 0 ? (double)times[i] : 0;
        sum += (double)times[i] * rate;
        fb_progress_add(&progress, 1, fb_json_str(json_array_get(rows, row[i]), "id"));
    }
    fb_progress_end(&progress);
    return sum / draws;
}

/* ---- All of it ---- */

struct fb_cost fb_cost_of(const struct fb_opened *e, struct fb_shard shard, const json_t *rows,
                          const struct fb_run_options *o, bool with_pieces)
{
    const double budget_s = sum_of(rows, "budget_s");
    struct fb_cost cost = {.seconds = NAN, .memory_bytes = NAN};
    double rate[GUIDES] = {NAN};
    FB_EACH(row, rows) {
        cost.work += fb_cost_work(row);
        if (is_measured(row))
            cost.memory_bytes = fmax(cost.memory_bytes, fb_json_num(row, "memory_bytes"));
    }
    cost.again = shard.of > 1 && cost.work > 0 ? sum_of(rows, "repeated_s") / cost.work : 0;
    cost.share = cost.again + (1 - cost.again) / shard.of;
    const struct fb_piece how = {o->threads ? (unsigned)o->threads : fb_parallel_threads(),
                                 shard.of};
    const bool pieces = e->kind->piece && cost.work > 0 && with_pieces;
    if ((cost.n = fb_history_rates(e, true, rate, GUIDES))) {
        cost.from = FB_FROM_RUNS;
    } else if (pieces && (*rate = rate_by_pieces(e, rows, cost.work, how, &cost.n)) > 0) {
        cost.from = FB_FROM_PIECES;
        cost.seconds = *rate * cost.work * cost.share + budget_s / shard.of;
    } else if (budget_s > 0) {
        cost.from = FB_FROM_BUDGET;
        cost.seconds = budget_s / shard.of;
    } else if ((cost.n = fb_history_rates(e, false, rate, GUIDES))) {
        cost.from = FB_FROM_KIND;
    }
    if (cost.from == FB_FROM_RUNS || cost.from == FB_FROM_KIND)
        cost.seconds = fb_median(rate, cost.n) * cost.work * cost.share;
    cost.low_s = LOW * cost.seconds;
    cost.high_s = HIGH * cost.seconds;
    return cost;
}

/* "12 s", "3 h 20 min". */
static void say_seconds(double seconds, char *text, size_t size)
{
    if (seconds < 100)
        fb_append(text, size, "%.2g s", seconds);
    else if (seconds < 6000)
        fb_append(text, size, "%.0f min", seconds / 60);
    else
        fb_append(text, size, "%.0f h %02.0f min", floor(seconds / 3600),
                  floor(fmod(seconds, 3600) / 60));
}

void fb_cost_say(const struct fb_cost *cost, char *text, size_t size)
{
    *text = '\0';
    say_seconds(cost->low_s, text, size);
    fb_append(text, size, " to ");
    say_seconds(cost->high_s, text, size);
}
