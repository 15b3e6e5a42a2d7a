#include "harness/work/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "filters/core/bits.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/same_file.h"
#include "harness/base/temporary.h"
#include "harness/measure/clock.h"

#define SEAL "xxh3"

enum { MOST_BYTES = 1 << 30 };
enum { PATH = 4096, FLAGS = JSON_COMPACT | JSON_REAL_PRECISION(15) };

struct fb_journal {
    char path[PATH];
    int fd;           /* locked */
    off_t end;        /* of the last whole line */
    json_t *header;   /* that the file has; NULL: none */
    json_t *steps;    /* that the file had: id -> its record */
    size_t added;     /* steps, since */
    size_t expected;  /* steps in all; 0: nobody said */
    double elapsed_s; /* of them */
    double started_s, synced_s;
    pthread_mutex_t lock;
};

/* ---- Lines ---- */

/* Takes the seal off; false: it was not that of the rest. */
static bool unseal(json_t *line)
{
    char hex[33];
    json_t *seal = json_incref(json_object_get(line, SEAL));
    json_object_del(line, SEAL);
    const bool whole = json_is_object(line) && json_is_string(seal) && fb_json_hash(line, hex) &&
                       !strcmp(hex, json_string_value(seal));
    json_decref(seal);
    return whole;
}

static enum fb_exit write_all(struct fb_journal *j, const char *bytes, size_t n)
{
    for (size_t at = 0; at < n;) {
        const ssize_t written = pwrite(j->fd, bytes + at, n - at, j->end + (off_t)at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            const int cause = written ? errno : EIO;
            (void)!ftruncate(j->fd, j->end);
            return fb_file_error(j->path, "not written", cause);
        }
        at += (size_t)written;
    }
    j->end += (off_t)n;
    return FB_EXIT_OK;
}

/* Takes the object. */
static enum fb_exit append(struct fb_journal *j, json_t *line)
{
    char hex[33];
    char *text = NULL;
    if (line && fb_json_hash(line, hex) && !json_object_set_new(line, SEAL, json_string(hex)))
        text = json_dumps(line, FLAGS);
    json_decref(line);
    if (!text)
        return fb_fail(j->path, FB_ENOMEM, NULL);
    const size_t n = strlen(text);
    text[n] = '\n'; /* in place of its end */
    const enum fb_exit code = write_all(j, text, n + 1);
    free(text);
    return code;
}

/* Takes one line; false: it is damaged, or memory is lacking. */
static bool take(struct fb_journal *j, const char *text, size_t n)
{
    char why[FB_JSON_WHY];
    json_t *line = fb_json_parse(text, n, 0, why);
    bool whole = line && unseal(line);
    if (whole && !j->header) {
        j->header = json_incref(line);
    } else if (whole && json_object_get(line, "steps")) {
        j->expected = (size_t)fb_json_uint(line, "steps");
    } else if (whole) {
        json_t *record = json_object_get(line, "record");
        const char *step = json_string_value(json_object_get(line, "step"));
        whole = step && record && !json_object_set(j->steps, step, record);
        j->elapsed_s += json_number_value(json_object_get(line, "s"));
    }
    json_decref(line);
    return whole;
}

/* Whether a file that begins like that may have been a journal, if it was torn or damaged. */
static bool like_a_header(const char *line, size_t n)
{
    static const char begins[] = "{\"kind\":\"";
    return !strncmp(line, begins, fb_min_u64(n, sizeof begins - 1));
}

/* The whole file; *damaged: the number of a line, 0: none. FB_EXIT_USAGE: it is no journal. */
static enum fb_exit read_lines(struct fb_journal *j, FILE *file, size_t *damaged)
{
    char *line = NULL;
    size_t room = 0, number = 0;
    ssize_t n;
    bool journal = true;
    *damaged = 0;
    errno = 0;
    while (journal && !*damaged && (n = getline(&line, &room, file)) > 0) {
        journal = number++ || like_a_header(line, (size_t)n);
        if (line[n - 1] != '\n')
            break;
        if (take(j, line, (size_t)n))
            j->end += n;
        else
            *damaged = number;
    }
    const int cause = ferror(file) ? errno : 0;
    free(line);
    if (cause)
        return fb_file_error(j->path, "cannot be read", cause);
    if (!journal)
        fb_error("%s: it is no journal; move it, or give another -o", j->path);
    return journal ? FB_EXIT_OK : FB_EXIT_USAGE;
}

/* Links lead to files of others. */
static enum fb_exit refuse_link(const char *path)
{
    fb_error("%s: it is a link, no file, or longer than 1 GiB; move it, or give another -o", path);
    return FB_EXIT_USAGE;
}

static enum fb_exit read_file(struct fb_journal *j, size_t *damaged)
{
    struct stat there;
    const bool regular = !lstat(j->path, &there) && S_ISREG(there.st_mode) && there.st_nlink == 1 &&
                         there.st_size <= MOST_BYTES;
    FILE *file = regular ? fopen(j->path, "rb") : NULL;
    if (!regular)
        return refuse_link(j->path);
    if (!file)
        return fb_file_error(j->path, "cannot be read", errno);
    const enum fb_exit code = read_lines(j, file, damaged);
    fclose(file);
    return code;
}

/* ---- Opening ---- */

/* A look (fb_journal_look) holds the lock for a moment: a locked file is tried again. */
static int open_locked(const char *path, int *cause)
{
    enum { TRIES = 10 };
    static const struct timespec pause = {.tv_nsec = 10000000};
    for (int tries = 0;;) {
        struct stat opened, named;
        const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        *cause = errno;
        if (fd < 0)
            return -1;
        const bool locked = !flock(fd, LOCK_EX | LOCK_NB);
        *cause = errno;
        /* A run that ended in between has removed the name. */
        if (locked && !fstat(fd, &opened) && !lstat(path, &named) && opened.st_ino == named.st_ino)
            return fd;
        close(fd);
        if (!locked && ++tries == TRIES)
            return -1;
        if (!locked)
            nanosleep(&pause, NULL);
        *cause = EWOULDBLOCK;
    }
}

/* What of a run a journal must share with it. */
static bool of_this_run(const struct fb_journal *j, const json_t *header)
{
    FB_EACH_MEMBER(name, member, header) {
        if (json_equal(member, json_object_get(j->header, name)))
            continue;
        fb_error("%s: --resume cannot continue it, because its %s is that of another run; give the "
                 "same experiment and options on the same machine, or leave out --resume to start "
                 "again",
                 j->path, name);
        return false;
    }
    return true;
}

/* What an earlier run left is out of the way, not lost. */
static enum fb_exit set_aside(struct fb_journal *j, bool damaged)
{
    char old[PATH + 24];
    snprintf(old, sizeof old, "%s.old", j->path);
    for (unsigned n = 2; !access(old, F_OK); n++)
        snprintf(old, sizeof old, "%s.old-%u", j->path, n);
    if (rename(j->path, old))
        return fb_file_error(old, "not written", errno);
    if (damaged && !json_object_size(j->steps))
        fb_note("%s: what stood there is kept in %s", j->path, old);
    else
        fb_note("%zu finished step%s of an earlier run %s kept in %s%s%s%s",
                json_object_size(j->steps), json_object_size(j->steps) == 1 ? "" : "s",
                json_object_size(j->steps) == 1 ? "is" : "are", old,
                damaged ? "" : "; to go on with that run, rename it to ", damaged ? "" : j->path,
                damaged ? "" : " and give its command with --resume");
    close(j->fd);
    int cause;
    j->fd = open_locked(j->path, &cause);
    return j->fd < 0 ? fb_file_error(j->path, "cannot be written", cause) : FB_EXIT_OK;
}

static void forget(struct fb_journal *j)
{
    json_decref(j->header);
    j->header = NULL;
    json_object_clear(j->steps);
    j->end = 0;
    j->expected = 0;
}

/* Leaves the file as it is. */
static void release(struct fb_journal *j)
{
    if (j->fd >= 0)
        close(j->fd);
    pthread_mutex_destroy(&j->lock);
    json_decref(j->header);
    json_decref(j->steps);
    free(j);
}

static enum fb_exit begin(struct fb_journal *j, const json_t *header, bool resume)
{
    struct stat there;
    size_t damaged;
    enum fb_exit code = read_file(j, &damaged);
    const bool torn = !code && !j->header && !fstat(j->fd, &there) && there.st_size;
    if (!code && resume && damaged) {
        fb_error(
            "%s: line %zu is damaged; cut the file before it and go on with --resume, or start "
            "anew without",
            j->path, damaged);
        return FB_EXIT_CORRECTNESS;
    }
    if (!code && resume && j->header && !of_this_run(j, header))
        return FB_EXIT_NOT_COMPARABLE;
    if (!code && (!resume || torn)) {
        if (json_object_size(j->steps) || damaged || torn)
            code = set_aside(j, damaged || torn);
        forget(j);
    }
    if (!code && ftruncate(j->fd, j->end))
        code = fb_file_error(j->path, "cannot be written", errno);
    if (!code && !j->header)
        code = append(j, json_deep_copy(header));
    return code;
}

enum fb_exit fb_journal_open(const char *output, const json_t *header, bool resume,
                             struct fb_journal **out)
{
    int cause = ENOMEM;
    struct fb_journal *j = calloc(1, sizeof *j);
    *out = NULL;
    if (!j || !(j->steps = json_object())) {
        free(j);
        return fb_fail(output, FB_ENOMEM, NULL);
    }
    snprintf(j->path, sizeof j->path, "%s.journal", output);
    pthread_mutex_init(&j->lock, NULL);
    enum fb_exit code = fb_same_file_writes(j->path);
    j->fd = code ? -1 : open_locked(j->path, &cause);
    if (!code && j->fd < 0 && cause == EWOULDBLOCK) {
        fb_error("%s: another run writes there; wait for it, or give another -o", j->path);
        code = FB_EXIT_USAGE;
    } else if (!code && j->fd < 0 && cause == ELOOP) {
        code = refuse_link(j->path);
    } else if (!code && j->fd < 0) {
        code = fb_file_error(j->path, "cannot be written", cause);
    }
    if (!code)
        code = begin(j, header, resume);
    j->started_s = j->synced_s = fb_seconds();
    if (!code) {
        *out = j;
        fb_last_words(output);
        return FB_EXIT_OK;
    }
    struct stat there;
    if (j->fd >= 0 && !fstat(j->fd, &there) && S_ISREG(there.st_mode) &&
        !there.st_size) /* made in vain */
        unlink(j->path);
    release(j);
    return code;
}

/* ---- Steps ---- */

const json_t *fb_journal_find(const struct fb_journal *j, const char *step)
{
    return j ? json_object_get(j->steps, step) : NULL;
}

const json_t *fb_journal_records(const struct fb_journal *j)
{
    return j ? j->steps : NULL;
}

size_t fb_journal_steps(const struct fb_journal *j)
{
    return j ? json_object_size(j->steps) + j->added : 0;
}

enum fb_exit fb_journal_expect(struct fb_journal *j, size_t steps)
{
    if (!j || j->expected == steps)
        return FB_EXIT_OK;
    j->expected = steps;
    return append(j, json_pack("{s:o}", "steps", fb_json_int(steps)));
}

enum fb_exit fb_journal_add(struct fb_journal *j, const char *step, const json_t *record)
{
    static const double SYNC_S = 1; /* what a failing power supply may lose */
    if (!j)
        return FB_EXIT_OK;
    pthread_mutex_lock(&j->lock);
    const double now = fb_seconds();
    enum fb_exit code = append(j, json_pack("{s:s, s:f, s:O}", "step", step, "s",
                                            now - j->started_s, "record", (json_t *)record));
    j->started_s = now;
    j->added += !code;
    if (!code && now - j->synced_s > SYNC_S) {
        j->synced_s = now;
        if (fdatasync(j->fd))
            code = fb_file_error(j->path, "not written", errno);
    }
    pthread_mutex_unlock(&j->lock);
    return code;
}

void fb_journal_close(struct fb_journal *j, bool written)
{
    if (!j)
        return;
    if (j->fd >= 0 && (written || !fb_journal_steps(j)))
        unlink(j->path);
    release(j);
}

bool fb_journal_look(const char *output, struct fb_journal_state *state)
{
    struct fb_journal j = {.fd = -1, .steps = json_object()};
    size_t damaged = 0;
    memset(state, 0, sizeof *state);
    snprintf(j.path, sizeof j.path, "%s.journal", output);
    const int fd = open(j.path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    bool read = fd >= 0 || errno == ENOENT;
    state->exists = fd >= 0;
    if (!read && errno == ELOOP)
        (void)refuse_link(j.path);
    else if (!read)
        fb_file_error(j.path, "cannot be read", errno);
    if (fd >= 0) {
        state->running = flock(fd, LOCK_SH | LOCK_NB) != 0;
        close(fd);
        read = !read_file(&j, &damaged);
        state->done = json_object_size(j.steps);
        state->steps = j.expected;
        state->elapsed_s = j.elapsed_s;
    }
    json_decref(j.header);
    json_decref(j.steps);
    return read;
}
