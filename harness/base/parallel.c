#define _GNU_SOURCE /* sched_getaffinity */

#include "harness/base/parallel.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

unsigned fb_parallel_cores(void)
{
#ifdef __linux__
    cpu_set_t allowed;
    if (!sched_getaffinity(0, sizeof allowed, &allowed)) {
        int n = CPU_COUNT(&allowed);
        return n > 0 ? (unsigned)n : 1;
    }
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

unsigned fb_parallel_threads(void)
{
    static const char *const given[] = {"FILTERBENCH_THREADS", "SLURM_CPUS_PER_TASK"};
    unsigned threads = fb_parallel_cores();
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        const char *text = getenv(given[i]);
        const unsigned long n = text ? strtoul(text, NULL, 10) : 0;
        if (n > 0 && n < threads)
            threads = (unsigned)n;
    }
    return threads;
}

struct crew {
    size_t n;
    enum fb_err (*task)(void *arg, size_t i);
    void *arg;
    atomic_size_t next;
    atomic_bool stop;
    pthread_mutex_t lock; /* over the two below */
    size_t failed;        /* lowest failing task; n: none */
    enum fb_err err;
};

static void fail(struct crew *crew, size_t i, enum fb_err err)
{
    atomic_store(&crew->stop, true);
    pthread_mutex_lock(&crew->lock);
    if (i < crew->failed) {
        crew->failed = i;
        crew->err = err;
    }
    pthread_mutex_unlock(&crew->lock);
}

static void *work(void *arg)
{
    struct crew *crew = arg;
    while (!atomic_load(&crew->stop) && !fb_interrupted()) {
        size_t i = atomic_fetch_add(&crew->next, 1); /* once taken, a task is run */
        if (i >= crew->n)
            break;
        enum fb_err err = crew->task(crew->arg, i);
        if (err)
            fail(crew, i, err);
    }
    return NULL;
}

enum fb_err fb_parallel_for(size_t n, unsigned n_threads, enum fb_err (*task)(void *arg, size_t i),
                            void *arg, bool *complete)
{
    struct crew crew = {.n = n, .task = task, .arg = arg, .failed = n, .err = FB_OK};
    size_t wanted = n_threads ? n_threads : fb_parallel_threads(), started = 0;
    if (wanted > n)
        wanted = n;
    /* The caller works too; with fewer threads than wanted the rest takes longer. */
    pthread_t *threads = wanted > 1 ? calloc(wanted, sizeof *threads) : NULL;
    pthread_mutex_init(&crew.lock, NULL);
    while (threads && started < wanted - 1 && !pthread_create(&threads[started], NULL, work, &crew))
        started++;
    work(&crew);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&crew.lock);
    free(threads);
    *complete = !crew.err && atomic_load(&crew.next) >= n && !fb_interrupted();
    return crew.err;
}

static atomic_int interrupted;
static_assert(ATOMIC_INT_LOCK_FREE == 2, "the signal handler stores an atomic int");
enum { N_SIGNALS = 3 };
static const int signals[N_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};
static struct sigaction before[N_SIGNALS];

/* A second signal does what it did before: it ends a run that does not listen. Whoever read the
 * output may have ended by the same signal: a closed pipe must not end the run before it has kept
 * what there is. */
static void interrupt(int signal_number)
{
    static const struct itimerval patience = {.it_value = {.tv_usec = 800000}};
    sigaction(SIGALRM, &before[0], NULL); /* as SIGINT did */
    if (!atomic_exchange(&interrupted, 1))
        setitimer(ITIMER_REAL, &patience, NULL);
    for (int i = 0; i < N_SIGNALS; i++)
        if (signals[i] == signal_number)
            sigaction(signal_number, &before[i], NULL);
    signal(SIGPIPE, SIG_IGN);
}

bool fb_interrupted(void)
{
    return atomic_load(&interrupted);
}

void fb_interrupt_install(void)
{
    static const struct itimerval never = {0};
    struct sigaction action, old;
    setitimer(ITIMER_REAL, &never, NULL);
    memset(&action, 0, sizeof action);
    action.sa_handler = interrupt;
    sigemptyset(&action.sa_mask);
    atomic_store(&interrupted, 0);
    for (int i = 0; i < N_SIGNALS; i++) {
        if (sigaction(signals[i], NULL, &old) || old.sa_handler == interrupt)
            continue;
        if (signals[i] == SIGHUP && old.sa_handler == SIG_IGN)
            continue; /* nohup */
        before[i] = old;
        sigaction(signals[i], &action, NULL);
    }
}
