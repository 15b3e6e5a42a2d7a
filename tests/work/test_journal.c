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
#include "tests/documents.h"
#include "tests/heard.h"

/* Lines are given with single quotes, without seal and closing brace. */
#define RUN    "run.json"
#define FILE_  RUN ".journal"
#define HEAD   "{'kind':'k','name':'1','shard':[1,0.1]\n"
#define FOUND  ",'record':[0.333333333333333,2]\n"
#define STEP_A "{'step':'a','s':1.5" FOUND
#define STEP_B "{'step':'b','s':0.25" FOUND
#define ALL    HEAD "{'steps':3\n" STEP_A STEP_B "{'step':'long','s':0.875" FOUND

static double now_s;
static int room = 1 << 20, full = ENOSPC, n_syncs, sync_fails, n_pauses, holder = -1;
static bool replaced_next;
static struct fb_journal *journal;

static void write_file(const char *text)
{
    FILE *file = fopen(FILE_, "w");
    assert_true(fputs(text, file) >= 0 && !fclose(file));
}

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
    if (replaced_next && !unlink(FILE_))
        write_file("");
    replaced_next = false;
    return (int)syscall(SYS_flock, fd, operation);
}

int nanosleep(const struct timespec *pause, struct timespec *left)
{
    return !pause || left || ++n_pauses == 3 ? close(holder) : 0;
}

static json_t *unsealed(const char *line)
{
    char text[200];
    snprintf(text, sizeof text, "%.*s}", (int)strcspn(line, "\n"), line);
    return quoted(text);
}

static const char *sealed(const char *lines)
{
    static char out[2000];
    int at = 0;
    for (out[0] = '\0'; *lines; lines = strchr(lines, '\n') + 1) {
        const size_t flags = JSON_COMPACT | JSON_REAL_PRECISION(15);
        json_auto_t *line = unsealed(lines);
        auto_free char *text = json_dumps(line, flags),
                       *sorted = json_dumps(line, flags | JSON_SORT_KEYS);
        const XXH128_hash_t h = XXH3_128bits(sorted, strlen(sorted));
        at += sprintf(out + at, "%.*s,\"xxh3\":\"%016llx%016llx\"}\n", (int)strlen(text) - 1, text,
                      (unsigned long long)h.high64, (unsigned long long)h.low64);
    }
    return out;
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

static void opens(const char *head, bool resume, int code, const char *words)
{
    json_auto_t *header = unsealed(head);
    now_s = 1;
    assert_int_equal(HEARD(words, fb_journal_open(RUN, header, resume, &journal)), code);
    assert_int_equal(!journal, code != 0);
}

static void add(const char *step, double s, int code, const char *words)
{
    json_auto_t *record = json_pack("[f, i]", 1.0 / 3, 2);
    now_s += s;
    assert_int_equal(HEARD(words, fb_journal_add(journal, step, record)), code);
}

static void looks(bool running, size_t done, size_t steps, double elapsed_s)
{
    struct fb_journal_state s;
    assert_true(fb_journal_look(RUN, &s) && s.exists && s.running == running);
    assert_true(s.done == done && s.steps == steps);
    assert_near(s.elapsed_s, elapsed_s, 1e-9);
}

TEST(from_open_to_close)
{
    opens(HEAD, false, 0, NULL);
    assert_int_equal(fb_journal_expect(journal, 3), 0);
    add("a", 1.5, 0, NULL);
    add("b", 0.25, 0, NULL);
    assert_int_equal(n_syncs, 1);
    add("long", 0.875, 0, NULL);
    assert_int_equal(n_syncs, 2);
    assert_int_equal(fb_journal_steps(journal), 3);
    looks(true, 3, 3, 2.625);
    fb_journal_close(journal, false);
    assert_file(FILE_, sealed(ALL));

    opens(HEAD, true, 0, NULL);
    json_auto_t *line = unsealed(STEP_A);
    assert_true(json_equal(fb_journal_find(journal, "a"), json_object_get(line, "record")));
    assert_null(fb_journal_find(journal, "d"));
    assert_int_equal(fb_journal_expect(journal, 3), 0);
    add("d", 0.5, 0, NULL);
    assert_int_equal(fb_journal_expect(journal, 4), 0);
    assert_int_equal(fb_journal_steps(journal), 4);
    fb_journal_close(journal, false);
    looks(false, 4, 4, 3.125);
    opens(HEAD, true, 0, NULL);
    fb_journal_close(journal, false);

    opens(HEAD, false, 0,
          "note: 4 finished steps of an earlier run are kept in " FILE_ ".old; to go on");
    assert_file(FILE_ ".old", sealed(ALL "{'step':'d','s':0.5" FOUND "{'steps':4\n"));
    assert_null(fb_journal_find(journal, "a"));
    assert_int_equal(fb_journal_expect(journal, 4), 0);
    assert_file(FILE_, sealed(HEAD "{'steps':4\n"));
    fb_journal_close(journal, false); /* it has no step */
    assert_int_equal(unlink(FILE_), -1);
    assert_int_equal(unlink(FILE_ ".old"), 0);
    write_file(sealed("{'kind':'else'\n"));
    opens(HEAD, false, 0, NULL);
    add("a", 1.5, 0, NULL);
    assert_file(FILE_, sealed(HEAD STEP_A));
    fb_journal_close(journal, true);
    assert_true(unlink(FILE_) && unlink(FILE_ ".old"));
}

/* Cut anywhere, it goes on behind its last whole line. */
TEST(torn)
{
    char text[2000], expected[2000], note[99];
    const int n = snprintf(text, sizeof text, "%s", sealed(ALL));
    for (int cut = 0; cut <= n; cut++) {
        snprintf(expected, sizeof expected, "%.*s", cut, text);
        write_file(expected);
        size_t lines = 0;
        for (char *c = expected; (c = strchr(c, '\n')); lines++)
            c++;
        *(lines ? strrchr(expected, '\n') + 1 : expected) = '\0';
        snprintf(note, sizeof note, FILE_ ": what stood there is kept in " FILE_ ".old\n");
        opens(HEAD, true, 0, cut && !lines ? note : NULL);
        unlink(FILE_ ".old");
        assert_int_equal(fb_journal_steps(journal), lines > 2 ? lines - 2 : 0);
        add("b", 0.25, 0, NULL);
        fb_journal_close(journal, false);
        strcat(expected, sealed(lines ? STEP_B : HEAD STEP_B));
        assert_file(FILE_, expected);
    }
}

/* A line that is not what was written is named, and what stands there stays. */
TEST(damaged)
{
    static const char *const third[] = {"[]\n", "{}\n", "{\"xxh3\":3}\n"};
    char text[2000], words[99];
    int line = 1;
    strcpy(text, sealed(ALL));
    for (char *c = text; *c; line += *c++ == '\n') {
        const bool begins = c < text + strlen("{'kind':'");
        if (*c == '\n')
            continue;
        *c ^= 1;
        write_file(text);
        snprintf(words, sizeof words, begins ? "it is no journal" : ": line %d is damaged; cu",
                 line);
        opens(HEAD, true, begins ? FB_EXIT_USAGE : FB_EXIT_CORRECTNESS, words);
        assert_file(FILE_, text);
        if (!begins && (line == 1 || !c[2])) { /* without --resume it is out of the way */
            snprintf(words, sizeof words,
                     line == 1 ? "what stood there is kept in " FILE_ ".old\n"
                               : "note: 2 finished steps of an earlier run are kept in " FILE_
                                 ".old\n");
            opens(HEAD, false, 0, words);
            fb_journal_close(journal, false);
            assert_file(FILE_ ".old", text);
            unlink(FILE_ ".old");
        }
        *c ^= 1;
    }
    for (size_t i = 0; i < 5; i++) {
        strcpy(text, sealed(HEAD STEP_A));
        strcat(text,
               i < 3 ? third[i] : sealed(i == 3 ? "{'step':'b'\n" : "{'step':1,'record':1\n"));
        write_file(text);
        opens(HEAD, true, FB_EXIT_CORRECTNESS, "line 3 is damaged");
    }
    unlink(FILE_ ".old");
}

TEST(not_of_this_run)
{
    static const char *const no_journal[] = {"hello\n", "hello", "\n", "{\"kin\n"};
    static const char *const others[][2] = {
        {"{'kind':'l','shard':[1,0.1]\n",
         FILE_ ": --resume cannot continue it, because its kind is that of another run"},
        {"{'kind':'k','shard':[1,0.2]\n", "its shard is that of another run"},
        {"{'kind':'k','more':1\n", "its more is that of another run"}};
    struct fb_journal_state s;
    for (size_t i = 0; i < 4; i++) {
        write_file(no_journal[i]);
        opens(HEAD, false, FB_EXIT_USAGE, FILE_ ": it is no journal; move it, or give another -o");
        opens(HEAD, true, FB_EXIT_USAGE, "it is no journal");
        assert_false(HEARD("it is no journal", fb_journal_look(RUN, &s)));
        assert_file(FILE_, no_journal[i]);
    }
    write_file(sealed(HEAD STEP_A));
    for (size_t i = 0; i < 3; i++)
        opens(others[i][0], true, FB_EXIT_NOT_COMPARABLE, others[i][1]);
    assert_file(FILE_, sealed(HEAD STEP_A));
    unlink(FILE_);
}

TEST(places)
{
    struct fb_journal_state s;
    memset(&s, 1, sizeof s);
    assert_true(fb_journal_look(RUN, &s) && !s.exists && !s.running);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(!i      ? mkdir(FILE_, 0700)
                         : i < 2 ? mkfifo(FILE_, 0600)
                                 : symlink("/dev/null", FILE_),
                         0);
        opens(HEAD, false, i ? FB_EXIT_USAGE : FB_EXIT_IO,
              i ? FILE_ ": it is a link" : FILE_ ": cannot be written: Is a");
        assert_false(HEARD(FILE_ ": it is a link", fb_journal_look(RUN, &s)));
        assert_int_equal(remove(FILE_), 0);
    }
    assert_false(HEARD("cannot be read: Not a directory", fb_journal_look("/dev/null/x", &s)));
    assert_int_equal(HEARD("cannot be written: Not a directory",
                           fb_journal_open("/dev/null/x", NULL, false, &journal)),
                     FB_EXIT_IO);
    write_file(sealed(HEAD STEP_A));
    assert_int_equal(mkdir(FILE_ ".old", 0700), 0);
    opens(HEAD, false, 0, "1 finished step of an earlier run is kept in " FILE_ ".old-2");
    fb_journal_close(journal, false);
    assert_int_equal(rename(FILE_ ".old-2", FILE_), 0);
    assert_int_equal(rmdir(FILE_ ".old"), 0);
    /* A hard link may be somebody else's file. */
    assert_int_equal(link(FILE_, "other"), 0);
    opens(HEAD, true, FB_EXIT_USAGE, FILE_ ": it is a link");
    assert_int_equal(unlink("other"), 0);

    const int fd = open(FILE_, O_RDONLY);
    assert_int_equal(fb_same_file_reads(FILE_, fd), 0);
    opens(HEAD, true, FB_EXIT_USAGE, "it would be read and written");
    fb_same_file_goes_on(FILE_);
    /* Locked for long, and for a moment; the run that has it ends, and another one begins. */
    assert_int_equal(flock(fd, LOCK_EX), 0);
    opens(HEAD, true, FB_EXIT_USAGE, FILE_ ": another run writes there; wait for it, or give");
    looks(true, 1, 0, 1.5);
    n_pauses = 0;
    holder = fd;
    opens(HEAD, true, 0, NULL);
    fb_journal_close(journal, false);
    replaced_next = true;
    opens(HEAD, true, 0, NULL);
    looks(true, 0, 0, 0);
    assert_file(FILE_, sealed(HEAD));
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
    add("a", 1.5, FB_EXIT_IO, FILE_ ": not written: No space left on device");
    full = 0;
    add("a", 0, FB_EXIT_IO, "not written: Input/output error");
    assert_file(FILE_, sealed(HEAD));
    room = 1 << 20;
    assert_int_equal(fb_journal_steps(journal), 0);
    add("b", 0.25, 0, NULL);
    assert_file(FILE_, sealed(HEAD STEP_B));
    sync_fails = 1;
    add("a", 1.5, FB_EXIT_IO, FILE_ ": not written: Input/output error");
    fb_journal_close(journal, true);
    room = sync_fails = 0;
    opens(HEAD, false, FB_EXIT_IO, "not written");
    assert_int_equal(unlink(FILE_), -1);
    room = 1 << 20;
}

static void *add_many(void *name)
{
    char step[20];
    json_auto_t *record = json_object();
    for (int i = 0; i < 100; i++) {
        snprintf(step, sizeof step, "%s%d", (const char *)name, i);
        assert_int_equal(fb_journal_add(journal, step, record), 0);
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
    char folder[] = "/tmp/filterbench-journal-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder))
        return 1;
    const int failed = run_unit_tests(NULL, NULL);
    unlink(FILE_);
    unlink(FILE_ ".old");
    return failed + rmdir(folder);
}
