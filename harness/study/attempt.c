#define _DEFAULT_SOURCE /* gethostname */
#include "harness/study/attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "harness/base/environment.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/output.h"
#include "harness/study/pin.h"
#include "harness/work/journal.h"

enum { LINE = 1000, HOST = 256, PATH = 4096, NOT_RUN = 127 };

/* DIR/shard-3.SUFFIX. */
static void path_of(const char *folder, unsigned shard, const char *suffix, char path[PATH])
{
    snprintf(path, PATH, "%s/shard-%u.%s", folder, shard, suffix);
}

static json_t *this_host(void)
{
    char host[HOST] = "";
    (void)gethostname(host, sizeof host - 1);
    return fb_json_text(host);
}

/* ---- The log ---- */

static struct flock whole_file(void)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
}

/* The log, locked; -1 with a line on stderr and *code. */
static int open_log(const char *path, enum fb_exit *code)
{
    struct flock lock = whole_file();
    struct stat there;
    const int fd =
        open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (fd < 0 || fstat(fd, &there) || !S_ISREG(there.st_mode) || there.st_nlink != 1) {
        fb_error("%s: it is a link or no regular file; remove it", path);
        *code = FB_EXIT_IO;
    } else if (fcntl(fd, F_SETLK, &lock)) {
        fb_error("%s: this shard runs already; `filterbench study status` says where", path);
        *code = FB_EXIT_USAGE;
    } else {
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

/* What the run says, to the log and to our stderr; the last error in why [LINE]. */
struct hearing {
    int log;
    char line[LINE], why[LINE];
    size_t n;
};

static void hear(struct hearing *h, const char *text, size_t n)
{
    static const char error[] = "filterbench: ", note[] = "note: ", warning[] = "warning: ";
    (void)!write(h->log, text, n);
    (void)!write(STDERR_FILENO, text, n);
    for (size_t i = 0; i < n; i++) {
        if (text[i] != '\n') {
            h->n += h->n < LINE - 1;
            h->line[h->n - 1] = text[i];
            continue;
        }
        h->line[h->n] = '\0';
        h->n = 0;
        const char *said = h->line + sizeof error - 1;
        if (!strncmp(h->line, error, sizeof error - 1) &&
            strncmp(said, note, sizeof note - 1) != 0 &&
            strncmp(said, warning, sizeof warning - 1) != 0)
            snprintf(h->why, LINE, "%s", said);
    }
}

/* ---- The run ---- */

static volatile sig_atomic_t the_run;

static void pass_on(int signal)
{
    if (the_run > 0)
        kill((pid_t)the_run, signal);
}

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_PASSED_ON = sizeof passed_on / sizeof *passed_on };

/* What is ignored stays ignored: nohup asks for that. */
static void handle_signals(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler}, before;
    for (size_t i = 0; i < N_PASSED_ON; i++)
        if (!sigaction(passed_on[i], NULL, &before) && before.sa_handler != SIG_IGN)
            sigaction(passed_on[i], &action, NULL);
}

static void begin(const char *folder, const json_t *study, char **argv, int to)
{
    char self[PATH];
    handle_signals(SIG_DFL);
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(to, STDERR_FILENO); /* so that the log has what follows */
    if (chdir(fb_json_str(study, "folder"))) {
        (void)fb_file_error("study shard", fb_json_str(study, "folder"), errno);
        _exit(FB_EXIT_IO);
    }
    const enum fb_exit code = fb_pin_check(folder, study);
    if (code)
        _exit((int)code);
    setpgid(0, 0); /* so that Ctrl-C reaches it once, through the watcher */
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    execv(self, argv); /* its own name, so that `top` shows it */
    execv("/proc/self/exe", argv);
    _exit(NOT_RUN);
}

/* Until the run has ended: its code. */
static int watch(pid_t pid, int from, const char *output, struct hearing *h)
{
    enum { PAUSE_MS = 10000 };
    struct pollfd wait_for = {.fd = from, .events = POLLIN};
    struct fb_journal_state before = {0}, at;
    char text[LINE];
    int status = 0;
    for (bool open = true; open;) {
        const int ready = poll(&wait_for, 1, PAUSE_MS);
        const ssize_t n = ready > 0 ? read(from, text, sizeof text) : 0;
        if (n > 0)
            hear(h, text, (size_t)n);
        open = ready == 0 || (ready < 0 && errno == EINTR) || n > 0;
        if (ready != 0 || !fb_journal_look(output, &at) || at.done == before.done)
            continue;
        const int len = snprintf(text, sizeof text, "%zu of %zu steps\n", at.done, at.steps);
        (void)!write(h->log, text, (size_t)len);
        before = at;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* A result that cannot be read is set aside, so that the shard can be run again. */
static void set_aside(const char *output)
{
    char aside[PATH + 16];
    struct stat there;
    json_t *document = NULL;
    snprintf(aside, sizeof aside, "%s.damaged", output);
    if (!lstat(output, &there) && S_ISREG(there.st_mode) && fb_json_load(output, &document) &&
        !rename(output, aside))
        fb_note("%s: it is damaged; it is now %s, and the shard begins anew", output, aside);
    json_decref(document);
}

int fb_attempt_run(const char *folder, const json_t *study, unsigned shard, char **argv,
                   const char *output)
{
    char log[PATH], path[PATH];
    enum fb_exit code = FB_EXIT_OK;
    int ends[2] = {-1, -1}, exit_code;
    path_of(folder, shard, "log", log);
    path_of(folder, shard, "state", path);
    struct hearing h = {.log = open_log(log, &code)};
    if (h.log < 0)
        return (int)code;
    set_aside(output);
    json_t *state = json_pack("{s:o, s:I, s:o}", "host", this_host(), "pid", (json_int_t)getpid(),
                              "since", fb_environment_now());
    code = fb_output_write(path, state);
    if (!code &&
        (pipe(ends) || fcntl(ends[0], F_SETFD, FD_CLOEXEC) || fcntl(ends[1], F_SETFD, FD_CLOEXEC)))
        code = fb_file_error(log, "no pipe", errno);
    exit_code = (int)code;
    if (!code) {
        handle_signals(pass_on);
        the_run = fork();
        if (the_run == 0)
            begin(folder, study, argv, ends[1]);
        close(ends[1]);
        exit_code = the_run > 0 ? watch((pid_t)the_run, ends[0], output, &h)
                                : (int)fb_file_error(log, "no process", errno);
        close(ends[0]);
        json_object_set_new(state, "ended", fb_environment_now());
        json_object_set_new(state, "exit", json_integer(exit_code));
        json_object_set_new(state, "why", *h.why ? fb_json_text(h.why) : json_null());
        (void)fb_output_write(path, state);
    }
    json_decref(state);
    close(h.log);
    return exit_code;
}

/* ---- What is there ---- */

json_t *fb_attempt_look(const char *folder, unsigned shard, long *watcher)
{
    char path[PATH];
    struct flock lock = whole_file();
    struct stat there;
    path_of(folder, shard, "log", path);
    const int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    *watcher = 0;
    if (fd >= 0 && !fcntl(fd, F_GETLK, &lock) && lock.l_type != F_UNLCK)
        *watcher = lock.l_pid ? (long)lock.l_pid : -1;
    if (fd >= 0)
        close(fd);
    path_of(folder, shard, "state", path);
    json_t *state = !lstat(path, &there) && S_ISREG(there.st_mode) && there.st_size < LINE * 10
                        ? json_load_file(path, 0, NULL)
                        : NULL;
    if (json_is_object(state))
        return state;
    json_decref(state);
    return NULL;
}

enum fb_exit fb_attempt_reset(const char *folder, unsigned shard)
{
    static const char *const suffixes[] = {"json",         "json.journal", "json.partial",
                                           "json.damaged", "state",        "log"};
    long watcher;
    json_decref(fb_attempt_look(folder, shard, &watcher));
    if (watcher) {
        fb_error("%s: shard %u runs; stop it first: filterbench study cancel %s", folder, shard,
                 folder);
        return FB_EXIT_USAGE;
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char path[PATH];
        path_of(folder, shard, suffixes[i], path);
        if (unlink(path) && errno != ENOENT)
            return fb_file_error(path, "cannot be removed", errno);
    }
    return FB_EXIT_OK;
}

void fb_attempt_cancel(const char *folder, unsigned shards, unsigned *asked, unsigned *elsewhere)
{
    json_t *host = this_host();
    *asked = *elsewhere = 0;
    for (unsigned shard = 1; shard <= shards; shard++) {
        long watcher;
        json_t *state = fb_attempt_look(folder, shard, &watcher);
        /* The lock tells the process: a state may say anything. */
        const bool here = watcher > 0 && json_equal(json_object_get(state, "host"), host) &&
                          json_integer_value(json_object_get(state, "pid")) == watcher;
        *asked += here && !kill((pid_t)watcher, SIGTERM);
        *elsewhere += watcher && !here;
        json_decref(state);
    }
    json_decref(host);
}
