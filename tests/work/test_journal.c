/* The journal of a run: its lines, what goes on from it and what is refused. The clock, locks,
 * pauses and writes of the system are the test's. */
#define _GNU_SOURCE
#include "harness/work/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "harness/base/same_file.h"
#include "tests/heard.h"

enum { USAGE = FB_EXIT_USAGE, OTHER = FB_EXIT_NOT_COMPARABLE, WRONG = FB_EXIT_CORRECTNESS };

#define FILE_  "run.json.journal"
#define HEAD   "{'kind':'k','started':'1','shard':[1,0.1]\n"
#define STEPS  "{'steps':3\n"
#define STEP_A "{'step':'a','s':1.5,'record':[0.3,2]\n"
#define STEP_B "{'step':'b','s':0.25,'record':[0.3,2]\n"

static double now_s;
static int room = 1 << 20, full = ENOSPC, n_syncs, sync_fails, n_pauses, holder = -1;
static bool removed_next;

int clock_gettime(clockid_t id, struct timespec *t)
{
    t->tv_sec = (time_t)now_s;
    t->tv_nsec = (long)((now_s - (double)t->tv_sec) * 1e9);
    return id < 0;
}

/* Few bytes at a time, and every other call is interrupted. */
ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    static int calls;
    const size_t left = at < room ? (size_t)(room - at) : 0, most = left < 7 ? left : 7;
    errno = ++calls % 2 ? EINTR : full;
    if (calls % 2 || !left)
        return errno ? -1 : 0;
    return syscall(SYS_pwrite64, fd, bytes, n < most ? n : most, at);
}

int fdatasync(int fd)
{
    n_syncs++;
    errno = EIO;
    return fd < 0 || sync_fails ? -1 : 0;
}

int flock(int fd, int operation)
{
    if (removed_next)
        unlink(FILE_);
    removed_next = false;
    return (int)syscall(SYS_flock, fd, operation);
}

int nanosleep(const struct timespec *pause, struct timespec *left)
{
    (void)pause, (void)left;
    return ++n_pauses == 3 ? close(holder) : 0;
}

/* ---- Files ---- */

/* JSON with single quotes. */
static json_t *json(const char *text, size_t n)
{
    char copy[200];
    for (snprintf(copy, sizeof copy, "%.*s", (int)n, text), n = 0; copy[n]; n++)
        copy[n] = copy[n] == '\'' ? '"' : copy[n];
    return json_loads(copy, 0, NULL);
}

/* Lines of a journal, given without seal and closing brace. */
static const char *sealed(const char *lines)
{
    static char out[2000];
    char line[200];
    size_t at = 0;
    out[0] = '\0';
    for (const char *end; (end = strchr(lines, '\n')); lines = end + 1) {
        json_t *value =
            json(line, (size_t)snprintf(line, sizeof line, "%.*s}", (int)(end - lines), lines));
        char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(15));
        char *rest = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(15) | JSON_SORT_KEYS);
        const XXH128_hash_t h = XXH3_128bits(rest, strlen(rest));
        at +=
            (size_t)sprintf(out + at, "%.*s,\"xxh3\":\"%016llx%016llx\"}\n", (int)strlen(text) - 1,
                            text, (unsigned long long)h.high64, (unsigned long long)h.low64);
        free(text);
        free(rest);
        json_decref(value);
    }
    return out;
}

static void write_file(const char *text)
{
    FILE *file = fopen(FILE_, "w");
    assert_true(fputs(text, file) >= 0 && !fclose(file));
}

static void assert_file(const char *path, const char *text)
{
    char read[2000];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    read[fread(read, 1, sizeof read - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(read, text);
}

static struct fb_journal *journal;

static void opens(const char *head, bool resume, int code, const char *words)
{
    char whole[200];
    json_t *header =
        json(whole, (size_t)snprintf(whole, sizeof whole, "%.*s}", (int)strlen(head) - 1, head));
    now_s = 0;
    hear();
    const int got = fb_journal_open("run.json", header, resume, &journal);
    assert_heard(words);
    assert_int_equal(got, code);
    assert_int_equal(!journal, code != 0);
    json_decref(header);
}

static int add(const char *step, double s, const char *words)
{
    json_t *record = json_pack("[f, i]", 0.1 + 0.2, 2);
    now_s += s;
    hear();
    const int code = fb_journal_add(journal, step, record);
    assert_heard(words);
    json_decref(record);
    return code;
}

static void looks(bool running, size_t done, size_t steps, double elapsed_s)
{
    struct fb_journal_state s;
    json_t *header = json(HEAD "}", sizeof HEAD);
    assert_true(fb_journal_look("run.json", &s) && s.exists && s.running == running);
    assert_true(json_equal(s.header, header) && s.done == done && s.steps == steps);
    assert_near(s.elapsed_s, elapsed_s, 1e-9);
    json_decref(s.header);
    json_decref(header);
}

/* ---- Tests ---- */

TEST(from_open_to_close)
{
    opens(HEAD, false, 0, NULL);
    assert_int_equal(fb_journal_expect(journal, 3), 0);
    assert_int_equal(add("a", 1.5, NULL) | add("b", 0.25, NULL), 0);
    assert_int_equal(n_syncs, 1);
    assert_int_equal(fb_journal_steps(journal), 2);
    looks(true, 2, 3, 1.75);
    fb_journal_close(journal, false);
    looks(false, 2, 3, 1.75);
    assert_file(FILE_, sealed(HEAD STEPS STEP_A STEP_B));

    opens("{'kind':'k','started':'2','shard':[1,0.1]\n", true, 0, NULL);
    json_t *record = json_pack("[f, i]", 0.3, 2);
    assert_true(json_equal(fb_journal_find(journal, "a"), record));
    assert_null(fb_journal_find(journal, "c"));
    json_decref(record);
    assert_int_equal(fb_journal_expect(journal, 3), 0);
    assert_int_equal(add("c", 0.5, NULL), 0);
    assert_int_equal(fb_journal_expect(journal, 4), 0);
    assert_int_equal(fb_journal_steps(journal), 3);
    fb_journal_close(journal, false);
    assert_int_equal(n_syncs, 1);
    looks(false, 3, 4, 2.25);
    opens(HEAD, true, 0, NULL);
    fb_journal_close(journal, false);
#define ALL HEAD STEPS STEP_A STEP_B "{'step':'c','s':0.5,'record':[0.3,2]\n{'steps':4\n"
    assert_file(FILE_, sealed(ALL));

    opens(HEAD, false, 0,
          "note: 3 finished steps of an earlier run are kept in run.json.journal.old; --resume "
          "would have");
    assert_file(FILE_ ".old", sealed(ALL));
    assert_null(fb_journal_find(journal, "a"));
    assert_int_equal(fb_journal_expect(journal, 4), 0);
    assert_file(FILE_, sealed(HEAD "{'steps':4\n"));
    fb_journal_close(journal, false);
    assert_int_not_equal(access(FILE_, F_OK), 0);
    write_file(sealed("{'kind':'else'\n")); /* no step: not worth keeping */
    unlink(FILE_ ".old");
    opens(HEAD, false, 0, NULL);
    add("a", 1.5, NULL);
    assert_file(FILE_, sealed(HEAD STEP_A));
    fb_journal_close(journal, true);
    assert_int_equal(access(FILE_, F_OK) & access(FILE_ ".old", F_OK), -1);
}

/* Cut anywhere, it goes on behind its last whole line. */
TEST(torn)
{
    char text[2000], expected[2000];
    const int n = snprintf(text, sizeof text, "%s", sealed(HEAD STEPS STEP_A STEP_B));
    for (int cut = 0; cut <= n; cut++) {
        snprintf(expected, sizeof expected, "%.*s", cut, text);
        write_file(expected);
        *(strrchr(expected, '\n') ? strrchr(expected, '\n') + 1 : expected) = '\0';
        const size_t steps = !!strstr(expected, "\"a\"") + !!strstr(expected, "\"b\"");
        if (!*expected)
            strcpy(expected, sealed(HEAD));
        opens(HEAD, true, 0, NULL);
        assert_int_equal(fb_journal_steps(journal), steps);
        assert_int_equal(add("b", 0.25, NULL), 0);
        fb_journal_close(journal, false);
        assert_file(FILE_, strcat(expected, sealed(STEP_B)));
    }
}

/* A line that is not what was written is named, and what stands there stays. */
TEST(damaged)
{
    static const char *const lines[] = {"[]\n", "{}\n", "{\"xxh3\":3}\n", NULL, NULL};
    char text[2000], words[99];
    int line = 1;
    strcpy(text, sealed(HEAD STEPS STEP_A STEP_B));
    for (char *c = text; *c; line += *c++ == '\n') {
        if (*c == '\n')
            continue;
        *c ^= 1;
        write_file(text);
        snprintf(words, sizeof words,
                 c < text + 9 ? "it is no journal" : FILE_ ": line %d is damaged; cut", line);
        opens(HEAD, true, c < text + 9 ? USAGE : WRONG, words);
        assert_file(FILE_, text);
        if (c == text + 20 || !c[2]) { /* without --resume it is out of the way */
            snprintf(words, sizeof words,
                     "note: %d finished steps of an earlier run are kept in run.json.journal.old",
                     line / 4);
            opens(HEAD, false, 0, words);
            assert_file(FILE_ ".old", text);
            fb_journal_close(journal, false);
        }
        *c ^= 1;
    }
    for (size_t i = 0; i < 5; i++) {
        strcpy(text, sealed(HEAD STEP_A));
        strcat(text, lines[i] ? lines[i]
                              : sealed(i < 4 ? "{'step':'b','s':1\n" : "{'step':1,'record':1\n"));
        write_file(text);
        opens(HEAD, true, WRONG, "line 3 is damaged");
    }
}

TEST(not_of_this_run)
{
    static const struct {
        const char *text, *head, *words;
        int code;
    } rows[] = {
        {"hello\n", HEAD, FILE_ ": it is no journal; move it, or give another -o", USAGE},
        {"hello", HEAD, "it is no journal", USAGE},
        {"\n", HEAD, "it is no journal", USAGE},
        {"{\"kin\n", HEAD, "it is no journal", USAGE},
        {NULL, "{'kind':'l','shard':[1,0.1]\n", "kind: that of another run; give the same", OTHER},
        {NULL, "{'kind':'k','shard':[1,0.2]\n", "shard: that of another run", OTHER},
        {NULL, "{'kind':'k','more':1\n", "more: that of another run", OTHER},
    };
    struct fb_journal_state s;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *text = rows[i].text ? rows[i].text : sealed(HEAD STEP_A);
        for (int resume = rows[i].text == NULL; resume < 2; resume++) {
            write_file(text);
            opens(rows[i].head, resume, rows[i].code, rows[i].words);
            assert_file(FILE_, text);
        }
        hear();
        const bool looked = fb_journal_look("run.json", &s);
        assert_heard(rows[i].text ? "it is no journal" : NULL);
        assert_int_equal(looked, !rows[i].text);
        json_decref(s.header);
    }
}

TEST(places)
{
    struct fb_journal_state s;
    struct stat there;
    unlink(FILE_);
    unlink(FILE_ ".old");
    assert_true(fb_journal_look("run.json", &s) && !s.exists);
    for (int fifo = 0; fifo < 2; fifo++) {
        assert_int_equal(fifo ? mkfifo(FILE_, 0600) : mkdir(FILE_, 0700), 0);
        opens(HEAD, false, FB_EXIT_IO,
              fifo ? FILE_ ": cannot be read: Inv" : FILE_ ": cannot be written: Is a");
        hear();
        assert_false(fb_journal_look("run.json", &s));
        assert_heard(FILE_ ": cannot be read");
        assert_int_equal(stat(FILE_, &there), 0);
        assert_int_equal(remove(FILE_), 0);
    }
    hear();
    assert_false(fb_journal_look("/dev/null/run.json", &s));
    assert_heard("cannot be read: Not a directory");
    hear();
    assert_int_equal(fb_journal_open("/dev/null/run.json", NULL, false, &journal), FB_EXIT_IO);
    assert_heard("cannot be written: Not a directory");

    write_file(sealed(HEAD STEP_A));
    assert_int_equal(mkdir(FILE_ ".old", 0700), 0);
    opens(HEAD, false, FB_EXIT_IO, FILE_ ".old: not written: Is a directory");
    assert_int_equal(rmdir(FILE_ ".old"), 0);
    const int fd = open(FILE_, O_RDONLY);
    assert_int_equal(fb_same_file_reads(FILE_, fd), 0);
    opens(HEAD, true, USAGE, "it would be read and written");
    fb_same_file_goes_on(FILE_);
    /* Locked: for a moment, and for long; a run that has it ends and removes it. */
    assert_int_equal(flock(fd, LOCK_EX), 0);
    opens(HEAD, true, USAGE, FILE_ ": another run writes there; wait for it, or give another -o");
    looks(true, 1, 0, 1.5);
    n_pauses = 0;
    holder = fd;
    opens(HEAD, true, 0, NULL);
    fb_journal_close(journal, false);
    removed_next = true;
    opens(HEAD, true, 0, NULL);
    assert_file(FILE_, sealed(HEAD));
    looks(true, 0, 0, 0);
    fb_journal_close(journal, false);
    assert_int_equal(fb_journal_add(NULL, "a", NULL) | fb_journal_expect(NULL, 3), 0);
    assert_true(!fb_journal_find(NULL, "a") && !fb_journal_steps(NULL));
    fb_journal_close(NULL, true);
}

/* Of what cannot be written whole nothing is there. */
TEST(full)
{
    opens(HEAD, false, 0, NULL);
    room = (int)strlen(sealed(HEAD)) + 10;
    assert_int_equal(add("a", 1.5, FILE_ ": not written: No space left on device"), FB_EXIT_IO);
    full = 0;
    assert_int_equal(add("a", 0, "not written: Input/output error"), FB_EXIT_IO);
    assert_file(FILE_, sealed(HEAD));
    room = 1 << 20;
    assert_int_equal(fb_journal_steps(journal), 0);
    assert_int_equal(add("b", 0.25, NULL), 0);
    assert_file(FILE_, sealed(HEAD STEP_B));
    sync_fails = 1;
    assert_int_equal(add("a", 1.5, FILE_ ": not written: Input/output error"), FB_EXIT_IO);
    fb_journal_close(journal, true);
    room = 0;
    opens(HEAD, false, FB_EXIT_IO, "not written");
    assert_int_not_equal(access(FILE_, F_OK), 0);
    room = 1 << 20;
}

static void *add_many(void *name)
{
    for (int i = 0; i < 100; i++) {
        char step[20];
        json_t *record = json_integer(i);
        snprintf(step, sizeof step, "%s%d", (const char *)name, i);
        assert_int_equal(fb_journal_add(journal, step, record), 0);
        json_decref(record);
    }
    return NULL;
}

TEST(threads)
{
    pthread_t other;
    opens(HEAD, false, 0, NULL);
    assert_int_equal(pthread_create(&other, NULL, add_many, "a"), 0);
    add_many("b");
    pthread_join(other, NULL);
    fb_journal_close(journal, false);
    opens(HEAD, true, 0, NULL);
    assert_int_equal(fb_journal_steps(journal), 200);
    fb_journal_close(journal, true);
}

int main(void)
{
    char folder[200];
    snprintf(folder, sizeof folder, "%s/filterbench-journal-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(folder) || chdir(folder))
        return 1;
    const int failed = run_unit_tests(NULL, NULL);
    unlink(FILE_);
    unlink(FILE_ ".old");
    return failed + rmdir(folder);
}
