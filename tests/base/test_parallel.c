/* Tasks over threads, interruption, and the line of progress. */
#include "tests/unit.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/parallel.h"
#include "harness/base/progress.h"

enum { TASKS = 1000 };

struct tally {
    atomic_uint runs[TASKS];
    size_t fail_from, interrupt_at;
};

static enum fb_err count(void *arg, size_t i)
{
    struct tally *t = arg;
    atomic_fetch_add(&t->runs[i], 1);
    if (i == t->interrupt_at)
        raise(SIGINT);
    return i < t->fail_from ? FB_OK : i == t->fail_from ? FB_ECORRUPT : FB_ENOMEM;
}

TEST(each_task_runs_once)
{
    for (unsigned threads = 0; threads <= 9; threads += 3) {
        struct tally t = {.fail_from = TASKS, .interrupt_at = TASKS};
        bool complete = false;
        assert_int_equal(fb_parallel_for(TASKS, threads, count, &t, &complete), FB_OK);
        assert_true(complete);
        for (size_t i = 0; i < TASKS; i++)
            assert_int_equal(atomic_load(&t.runs[i]), 1);
    }
}

TEST(no_task_is_complete)
{
    bool complete = false;
    assert_int_equal(fb_parallel_for(0, 4, count, NULL, &complete), FB_OK);
    assert_true(complete);
}

TEST(lowest_failure_wins_and_stops)
{
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct tally t = {.fail_from = 10, .interrupt_at = TASKS};
        bool complete = true;
        assert_int_equal(fb_parallel_for(TASKS, threads, count, &t, &complete), FB_ECORRUPT);
        assert_false(complete);
        unsigned runs = 0;
        for (size_t i = 0; i < TASKS; i++)
            runs += atomic_load(&t.runs[i]);
        assert_in_range(runs, 11, TASKS);
        if (threads == 1)
            assert_int_equal(runs, 11);
    }
}

TEST(interruption_leaves_a_prefix)
{
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct tally t = {.fail_from = TASKS, .interrupt_at = 20};
        bool complete = true;
        fb_interrupt_install();
        assert_false(fb_interrupted());
        assert_int_equal(fb_parallel_for(TASKS, threads, count, &t, &complete), FB_OK);
        assert_true(fb_interrupted());
        size_t n = 0;
        while (n < TASKS && atomic_load(&t.runs[n]))
            n++;
        assert_in_range(n, 21, TASKS);
        assert_int_equal(complete, n == TASKS);
        for (size_t i = n; i < TASKS; i++)
            assert_int_equal(atomic_load(&t.runs[i]), 0);
        if (threads == 1)
            assert_int_equal(n, 21);
    }
    fb_interrupt_install();
    raise(SIGTERM);
    assert_true(fb_interrupted());
    fb_interrupt_install();
    assert_false(fb_interrupted());
}

TEST(at_least_one_core)
{
    assert_in_range(fb_parallel_cores(), 1, 100000);
}

TEST(a_scheduler_gives_threads)
{
    static const struct {
        const char *ours, *slurm;
        unsigned most;
    } cases[] = {{"1", NULL, 1},     {NULL, "1", 1},        {"2", "1", 1},
                 {"0", "-1", 65536}, {"x", "99999", 65536}, {NULL, NULL, 65536}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsetenv("FILTERBENCH_THREADS");
        unsetenv("SLURM_CPUS_PER_TASK");
        if (cases[i].ours)
            setenv("FILTERBENCH_THREADS", cases[i].ours, 1);
        if (cases[i].slurm)
            setenv("SLURM_CPUS_PER_TASK", cases[i].slurm, 1);
        const unsigned cores = fb_parallel_cores();
        assert_int_equal(fb_parallel_threads(), cases[i].most < cores ? cases[i].most : cores);
    }
    unsetenv("FILTERBENCH_THREADS");
    unsetenv("SLURM_CPUS_PER_TASK");
}

TEST(line_says_where_it_is)
{
    char line[256];
    struct fb_progress p = {.title = "run", .total = 200, .done = 50};
    size_t n = fb_progress_line(&p, 30, "nori", 200, line, sizeof line);
    assert_string_equal(line, "run [#####---------------]  25%  0:30, 1:30 left  nori");
    assert_int_equal(n, strlen(line));

    p.done = 0;
    fb_progress_line(&p, 2, NULL, 200, line, sizeof line);
    assert_string_equal(line, "run [--------------------]   0%  0:02, ? left  ");

    p.done = 250; /* more than was announced */
    fb_progress_line(&p, 3725, "end", 200, line, sizeof line);
    assert_string_equal(line, "run [####################] 100%  1:02:05, 0:00 left  end");

    p.done = 1, p.total = 1000;
    fb_progress_line(&p, 10, "x", 200, line, sizeof line);
    assert_string_equal(line, "run [--------------------]   0%  0:10, 2:46:30 left  x");

    p.expected_s = 40; /* more certain than units */
    fb_progress_line(&p, 10, "x", 200, line, sizeof line);
    assert_string_equal(line, "run [#####---------------]  25%  0:10, 0:30 left  x");
    p.expected_s = 0;

    /* 10 s for half of the units, so 10 s more; and 20 of 60 s are over. */
    p = (struct fb_progress){
        .title = "run", .total = 2, .done = 1, .known_s = 60, .known_done_s = 20};
    fb_progress_line(&p, 30, "x", 200, line, sizeof line);
    assert_string_equal(line, "run [#######-------------]  37%  0:30, 0:50 left  x");
    p.total = p.done = 0; /* nothing but steps of a known time */
    fb_progress_line(&p, 20, "x", 200, line, sizeof line);
    assert_string_equal(line, "run [######--------------]  33%  0:20, 0:40 left  x");
    p.total = 1000, p.done = 1, p.known_s = 0, p.known_done_s = 0;

    assert_int_equal(fb_progress_line(&p, 10, "x", 12, line, sizeof line), 12);
    assert_string_equal(line, "run [-------");
    assert_int_equal(fb_progress_line(&p, 10, "x", 200, line, 8), 7);
    assert_string_equal(line, "run [--");
}

TEST(silent_without_a_terminal)
{
    int pipe_end[2], saved = dup(STDERR_FILENO);
    char byte;
    assert_int_equal(pipe(pipe_end), 0);
    dup2(pipe_end[1], STDERR_FILENO);
    close(pipe_end[1]);
    struct fb_progress p;
    fb_progress_start(&p, "run", 10);
    fb_progress_add(&p, 4, "a");
    fb_progress_add(&p, 5, "b");
    fb_progress_end(&p);
    dup2(saved, STDERR_FILENO);
    close(saved);
    assert_int_equal(read(pipe_end[0], &byte, 1), 0);
    close(pipe_end[0]);
    assert_int_equal(p.done, 9);
}

TESTS(NULL, NULL)
