#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "harness/check/contract.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/check/parts.h"
#include "harness/filter/plugin.h"

enum { MOST_DESIGNS = FB_MOST_REGISTERED, MOST_PARTS = 32, MOST_TEXT = 100 };

static const char prefix[] = "new"; /* its designs may have the names of built-in ones */

/* Written by the process that asks, read by the one that waits for it. */
struct shared {
    char name[MOST_TEXT], revision[MOST_TEXT];
    size_t n_designs; /* 0: it is being loaded */
    char design[MOST_DESIGNS][MOST_TEXT];
    size_t next; /* question: design * MOST_PARTS + part */
    bool done;   /* all was asked: the process did not end for another reason */
    struct fb_contract_answer answers[MOST_DESIGNS * MOST_PARTS];
};

static size_t n_parts(void)
{
    size_t n = 0;
    while (n < MOST_PARTS && fb_contract_part_at(n))
        n++;
    return n;
}

/* ---- The process that asks ---- */

static void tell(const struct fb_plugin *plugin, struct shared *shared)
{
    snprintf(shared->name, MOST_TEXT, "%s", plugin->name);
    snprintf(shared->revision, MOST_TEXT, "%s", plugin->revision);
    for (size_t d = 0; d < plugin->n_designs; d++)
        snprintf(shared->design[d], MOST_TEXT, "%s", plugin->designs[d].name + sizeof prefix);
    shared->n_designs = plugin->n_designs;
}

static struct timeval time_of(double seconds)
{
    return (struct timeval){(time_t)seconds, (suseconds_t)((seconds - floor(seconds)) * 1e6)};
}

/* SIGPROF ends the process once it has worked for so long, SIGALRM once it has waited ten times as
 * long. */
static void limit(double seconds)
{
    const struct itimerval worked = {.it_value = time_of(seconds)},
                           waited = {.it_value = time_of(10 * seconds)};
    setitimer(ITIMER_PROF, &worked, NULL);
    setitimer(ITIMER_REAL, &waited, NULL);
}

static enum fb_exit ask(const char *path, double limit_s, struct shared *shared)
{
    limit(limit_s);
    const enum fb_exit code = fb_plugins_load(path, prefix);
    if (code)
        return FB_EXIT_PLUGIN;
    const struct fb_plugin *plugin = fb_plugin_at(fb_n_plugins() - 1);
    tell(plugin, shared);
    for (; shared->next < plugin->n_designs * MOST_PARTS; shared->next++) {
        const struct fb_contract_part *part = fb_contract_part_at(shared->next % MOST_PARTS);
        limit(limit_s);
        if (part)
            fb_contract_ask(part, &plugin->designs[shared->next / MOST_PARTS],
                            &shared->answers[shared->next]);
    }
    shared->done = true;
    return FB_EXIT_OK;
}

/* ---- The process that waits ---- */

static bool came_to_no_end(int status)
{
    return WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM);
}

/* How it ended, where it did not end by itself. */
static void say_end(int status, double limit_s, char *text, size_t size)
{
    if (came_to_no_end(status) && WTERMSIG(status) == SIGPROF)
        snprintf(text, size, "it came to no end in %g s of processor time", limit_s);
    else if (came_to_no_end(status))
        snprintf(text, size, "it came to no end in %g s", 10 * limit_s);
    else if (WIFSIGNALED(status))
        snprintf(text, size, "it crashed: signal %d, %s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(text, size, "it ended the process with code %d", WEXITSTATUS(status));
}

/* The other questions to a design that came to no end would as well, one after the other. */
static void skip_design(struct shared *shared)
{
    for (; shared->next % MOST_PARTS; shared->next++) {
        struct fb_contract_answer *answer = &shared->answers[shared->next];
        answer->holds = false;
        snprintf(answer->why, sizeof answer->why, "not asked: the question before came to no end");
    }
}

/* Asks until all is answered: behind a crash or a loop, a new process goes on with the next part.
 */
static enum fb_exit ask_all(const char *path, double limit_s, struct shared *shared)
{
    do {
        int status = 0;
        fflush(NULL);
        const pid_t pid = fork();
        if (pid < 0)
            return fb_fail(path, FB_EIO, strerror(errno));
        if (pid == 0)
            _exit((int)ask(path, limit_s, shared));
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            continue;
        if (shared->done)
            return FB_EXIT_OK;
        if (!shared->n_designs) {
            char why[MOST_TEXT];
            say_end(status, limit_s, why, sizeof why);
            if (!WIFEXITED(status) || WEXITSTATUS(status) != FB_EXIT_PLUGIN) /* it has said why */
                fb_error("plugin %s: while it was loaded, %s", path, why);
            return FB_EXIT_PLUGIN;
        }
        struct fb_contract_answer *answer = &shared->answers[shared->next++];
        answer->holds = false;
        say_end(status, limit_s, answer->why, sizeof answer->why);
        if (came_to_no_end(status))
            skip_design(shared);
    } while (shared->next < shared->n_designs * MOST_PARTS);
    return FB_EXIT_OK;
}

static json_t *design_json(const char *path, const struct shared *shared, size_t d, size_t parts,
                           struct fb_answers *all)
{
    struct fb_answers fold = {0};
    json_t *rows = json_array();
    char wrong[MOST_TEXT * 4] = "";
    size_t held = 0;
    for (size_t p = 0; p < parts; p++) {
        const struct fb_contract_part *part = fb_contract_part_at(p);
        const struct fb_contract_answer *a = &shared->answers[d * MOST_PARTS + p];
        json_array_append_new(rows, json_pack("{s:s, s:s, s:b, s:o, s:o?}", "part", part->name,
                                              "summary", part->summary, "holds", a->holds, "code",
                                              a->holds ? fb_json_word(a->code) : json_null(), "why",
                                              a->holds ? NULL : fb_json_text(a->why)));
        fb_answer_word(&fold, a->code);
        held += a->holds;
        if (a->holds)
            continue;
        fb_error("plugin %s: design '%s': %s: %s", path, shared->design[d], part->name, a->why);
        fb_append(wrong, sizeof wrong, "%s%s", *wrong ? ", " : "", part->name);
    }
    fb_answer_word(all, fold.fold);
    const bool holds = held == parts;
    return json_pack("{s:o, s:b, s:o, s:o, s:s, s:o}", "design", fb_json_text(shared->design[d]),
                     "holds", holds, "parts_held", json_sprintf("%zu of %zu", held, parts), "code",
                     holds ? fb_json_word(fold.fold) : json_null(), "wrong", wrong, "parts", rows);
}

static bool report_on(const char *path, const struct shared *shared, json_t **report)
{
    struct fb_answers all = {0};
    json_t *rows = json_array();
    bool holds = true;
    for (size_t d = 0; d < shared->n_designs; d++) {
        json_t *row = design_json(path, shared, d, n_parts(), &all);
        holds = holds && json_is_true(json_object_get(row, "holds"));
        json_array_append_new(rows, row);
    }
    *report = json_pack("{s:o, s:o, s:o, s:o, s:o}", "plugin", fb_json_text(path), "name",
                        fb_json_text(shared->name), "revision", fb_json_text(shared->revision),
                        "code", holds ? fb_json_word(all.fold) : json_null(), "designs", rows);
    return holds;
}

enum fb_exit fb_plugin_check(const char *path, double limit_s, json_t **report)
{
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *report = NULL;
    if (shared == MAP_FAILED)
        return fb_fail(path, FB_ENOMEM, NULL);
    enum fb_exit code = ask_all(path, limit_s, shared);
    if (!code && !report_on(path, shared, report))
        code = FB_EXIT_PLUGIN;
    munmap(shared, sizeof *shared);
    return code;
}
