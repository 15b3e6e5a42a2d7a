#include "harness/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/base/same_file.h"

#define STREAM_LIMIT (UINT64_C(1) << 30)

/* What to do about an errno. */
static const char *remedy(int cause)
{
    return cause == EISDIR                     ? "; give a file, not a folder"
           : cause == EACCES || cause == EROFS ? "; give another file, or change the permissions"
           : cause == ENOSPC                   ? "; free some space, then try again"
                                               : "";
}

enum fb_exit fb_file_error(const char *path, const char *what, int cause)
{
    fb_error("%s: %s: %s%s", path, what, strerror(cause), remedy(cause));
    return FB_EXIT_IO;
}

/* ", did you mean 'runs/fpr.json'?" of the files beside a path where there is none, or "". */
static const char *near_file(const char *path)
{
    enum { MOST = 1023 };
    static char text[400];
    const char *slash = strrchr(path, '/'), *names[MOST + 1] = {0};
    const int len = slash ? (int)(slash - path) + 1 : 0;
    char *folder = strndup(len ? path : ".", len ? (size_t)len : 1);
    DIR *files = folder ? opendir(folder) : NULL;
    size_t n = 0;
    for (const struct dirent *file; files && n < MOST && (file = readdir(files));)
        if (*file->d_name != '.' && !(names[n] = strdup(file->d_name)))
            break;
        else
            n += *file->d_name != '.';
    const char *near = fb_nearest(path + len, names, sizeof *names);
    text[0] = '\0';
    if (near && *near == path[len]) /* most mistakes leave the first letter */
        snprintf(text, sizeof text, ", did you mean '%.*s%s'?", len, path, near);
    while (n > 0)
        free((char *)names[--n]);
    if (files)
        closedir(files);
    free(folder);
    return text;
}

uint64_t fb_memory_limit(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2 : UINT64_C(1) << 30;
}

const char *fb_file_name(const char *path)
{
    return strcmp(path, "-") ? path : "stdin";
}

/* Reads fd to its end; the buffer starts at the size the file system names and doubles. */
static enum fb_exit slurp(int fd, const char *path, size_t size_hint, bool endless, uint8_t **bytes,
                          size_t *n_bytes)
{
    uint64_t limit = fb_memory_limit();
    bool streamed = endless && limit > STREAM_LIMIT;
    limit = streamed ? STREAM_LIMIT : limit;
    size_t n = 0, room = size_hint < limit ? size_hint + 1 : 4096;
    uint8_t *buffer = malloc(room);
    while (buffer) {
        if (n == room) {
            if (room >= limit) {
                fb_error("%s: %s", path,
                         streamed ? "no end after 1 GiB, the most that is read from a pipe or a "
                                    "device; write it to a file first"
                                  : "longer than half of this machine's memory; give a smaller "
                                    "file");
                free(buffer);
                return FB_EXIT_USAGE;
            }
            room = room < limit / 2 ? 2 * room : (size_t)limit;
            uint8_t *larger = realloc(buffer, room);
            if (!larger)
                break;
            buffer = larger;
        }
        ssize_t got = read(fd, buffer + n, room - n);
        if (got < 0 && errno == EINTR && !fb_interrupted())
            continue;
        if (got < 0 && errno == EINTR) {
            fb_error("%s: interrupted while it was read", path);
            free(buffer);
            return FB_EXIT_INTERRUPTED;
        }
        if (got < 0) {
            int cause = errno;
            free(buffer);
            fb_file_error(path, "cannot be read", cause);
            return cause == EISDIR ? FB_EXIT_USAGE : FB_EXIT_IO;
        }
        if (got == 0) {
            *bytes = buffer;
            *n_bytes = n;
            return FB_EXIT_OK;
        }
        n += (size_t)got;
    }
    free(buffer);
    return fb_fail(path, FB_ENOMEM, NULL);
}

/* Waits until a pipe has a writer; says so where that takes a while. */
static enum fb_exit await_writer(int fd, const char *path)
{
    enum { PATIENCE_MS = 1000 };
    struct pollfd pipe = {.fd = fd, .events = POLLIN};
    int ready = poll(&pipe, 1, PATIENCE_MS);
    if (!ready)
        fb_note("%s: a pipe; waiting for something to write to it", path);
    while (ready <= 0) {
        if (ready < 0 && (errno != EINTR || fb_interrupted())) {
            fb_error("%s: interrupted before anything was written to it", path);
            return FB_EXIT_INTERRUPTED;
        }
        ready = poll(&pipe, 1, -1);
    }
    return FB_EXIT_OK;
}

enum fb_exit fb_file_read(const char *path, uint8_t **bytes, size_t *n_bytes)
{
    static bool stdin_taken;
    bool from_stdin = !strcmp(path, "-");
    const char *name = fb_file_name(path);
    struct stat about;
    *bytes = NULL;
    *n_bytes = 0;
    if (from_stdin && stdin_taken) {
        fb_error("stdin: it can be read only once, and two options name it; give a file for one of "
                 "them");
        return FB_EXIT_USAGE;
    }
    stdin_taken = stdin_taken || from_stdin;
    /* Opened so, a pipe without a writer does not block. */
    int fd = from_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &about)) {
        const int cause = errno;
        fb_error("%s: cannot be opened: %s%s", name, strerror(cause),
                 cause == ENOENT ? near_file(path) : remedy(cause));
        if (fd > STDERR_FILENO)
            close(fd);
        return FB_EXIT_USAGE;
    }
    bool regular = S_ISREG(about.st_mode);
    size_t hint = regular && about.st_size > 0 ? (size_t)about.st_size : 4095;
    enum fb_exit code = fb_same_file_reads(name, fd);
    if (!code && S_ISFIFO(about.st_mode) && !from_stdin)
        code = await_writer(fd, name);
    if (!from_stdin)
        (void)fcntl(fd, F_SETFL, 0); /* from here on it blocks */
    if (!code)
        code = slurp(fd, name, hint, !regular, bytes, n_bytes);
    if (!from_stdin)
        close(fd);
    return code;
}

static bool key_format_ok(const char *format)
{
    if (fb_keyformat_valid(format))
        return true;
    if (!strncmp(format, "fixed:", 6))
        fb_error("--keys-format: '%s': give a length from 1 to %d, e.g. fixed:16", format,
                 FB_MOST_FIXED);
    else if (!strncmp(format, "csv:", 4))
        fb_error("--keys-format: '%s': give a column's name, or its number from 1 to %d, e.g. "
                 "csv:1",
                 format, FB_MOST_FIXED);
    else
        fb_error(
            "--keys-format: there is no key format '%s'%s (`filterbench list formats` shows them)",
            format, fb_did_you_mean(format, fb_keyformats, sizeof *fb_keyformats));
    return false;
}

/* What the user should know of how the keys were read. */
static void tell_format(const char *name, const char *format, const uint8_t *bytes, size_t n_bytes,
                        const struct fb_keys *keys)
{
    if (fb_keyformat_is_lines(format) && fb_keyfile_crlf(bytes, n_bytes))
        fb_note("%s: its lines end with CR LF; neither is part of a key", name);
    if (fb_csv_header(format, bytes, n_bytes) && keys->n)
        fb_note("%s: the first line seems to name columns, and is read as a key: '%.*s'; with "
                "csv:NAME it is not",
                name, (int)(fb_key_len(keys, 0) > 60 ? 60 : fb_key_len(keys, 0)),
                (const char *)fb_key_at(keys, 0));
}

static bool ends_with(const char *path, const char *end)
{
    const size_t len = strlen(path), of_end = strlen(end);
    return len > of_end && !strcasecmp(path + len - of_end, end);
}

/* A table of values, which `lines` would take whole. */
static enum fb_exit ask_for_column(const char *path, const uint8_t *bytes, size_t n_bytes)
{
    enum { SHOWN = 60 };
    size_t len = 0;
    while (len < n_bytes && len < SHOWN && bytes[len] != '\n' && bytes[len] != '\r')
        len++;
    if (ends_with(path, ".tsv"))
        fb_error("%s: which column? csv:COLUMN takes commas only; give cut -fCOLUMN %s | ... -k -, "
                 "or --keys-format lines",
                 path, path);
    else
        fb_error("%s: which column? give --keys-format csv:COLUMN, its number or its name in the "
                 "first line, '%.*s'; or --keys-format lines",
                 path, (int)len, (const char *)bytes);
    return FB_EXIT_USAGE;
}

/* No key format of text begins so; in the others any bytes may be a key. */
static bool is_compressed(const char *format, const uint8_t *bytes, size_t n_bytes)
{
    const bool text = !format || fb_keyformat_is_text(format);
    return text && n_bytes >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B;
}

/* What the first line names, where it does not name the column of csv:NAME. False: another mistake.
 */
static bool tell_columns(const char *path, const char *format, const uint8_t *bytes, size_t n_bytes)
{
    enum { MOST = 255 };
    const char *columns[MOST + 1] = {0}, *given = format + strlen("csv:");
    char *names = malloc(n_bytes + 1), list[300] = "";
    const size_t n = names ? fb_csv_columns(format, bytes, n_bytes, names) : 0;
    const char *at = names;
    bool known = false;
    size_t used = 0;
    for (size_t i = 0; i < n && i < MOST; i++, at += strlen(at) + 1) {
        columns[i] = at;
        known = known || !strcmp(at, given);
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'", i ? ", " : "", at);
    }
    const bool told = n && !known;
    if (told)
        fb_error("%s: no column '%s'%s; the first line names %s%s", path, given,
                 fb_did_you_mean(given, columns, sizeof *columns), list,
                 used < sizeof list ? "" : "...");
    free(names);
    return told;
}

enum fb_exit fb_file_read_keys(const char *path, const char *format, struct fb_keyset *out)
{
    uint8_t *bytes;
    size_t n_bytes;
    struct fb_keyfile_error error = {0};
    const bool from_stdin = !strcmp(path, "-");
    const char *name = fb_file_name(path);
    memset(out, 0, sizeof *out);
    if (format && !key_format_ok(format))
        return FB_EXIT_USAGE;
    enum fb_exit code = fb_file_read(path, &bytes, &n_bytes);
    if (!code && from_stdin && !n_bytes) {
        fb_error("stdin: it is empty; write keys to it, one per line");
        code = FB_EXIT_USAGE;
    } else if (!code && is_compressed(format, bytes, n_bytes)) {
        fb_error("%s: it is compressed (gzip); uncompress it first: `gzip -dc %s | filterbench ... "
                 "-k -`",
                 name, path);
        code = FB_EXIT_USAGE;
    } else if (!code && !format && (ends_with(path, ".csv") || ends_with(path, ".tsv"))) {
        code = ask_for_column(path, bytes, n_bytes);
    }
    if (code) {
        free(bytes);
        return code;
    }
    format = format ? format : fb_keyformats[0].name;
    enum fb_err err = fb_keyfile_parse(format, bytes, n_bytes, out, &error);
    if (err == FB_OK)
        tell_format(name, format, bytes, n_bytes, &out->keys);
    const bool told = err == FB_EINVAL && tell_columns(name, format, bytes, n_bytes);
    free(bytes);
    if (err == FB_OK)
        return FB_EXIT_OK;
    if (told)
        return FB_EXIT_USAGE;
    const char *what = error.what ? error.what : fb_err_text(err);
    if (err != FB_EINVAL)
        return fb_fail(name, err,
                       err == FB_ENOMEM ? "its keys do not fit into memory; give fewer" : NULL);
    fb_error("%s: %s %llu: %s (keys format %s)", name, error.line ? "line" : "byte",
             (unsigned long long)(error.line ? error.line : error.offset), what, format);
    return FB_EXIT_USAGE;
}

enum fb_exit fb_file_lines(const char *path, bool (*take)(void *arg, size_t number, char *line),
                           void *arg)
{
    uint8_t *bytes;
    size_t n, number = 1;
    enum fb_exit code = fb_file_read(path, &bytes, &n);
    for (size_t at = 0; !code && at < n; number++) {
        const uint8_t *end = memchr(bytes + at, '\n', n - at);
        size_t len = end ? (size_t)(end - bytes) - at : n - at;
        char *line = strndup((const char *)bytes + at, len), *start = line;
        at += len + 1;
        start += line ? strspn(line, " \t\r") : 0;
        for (len = line ? strlen(start) : 0; len && strchr(" \t\r", start[len - 1]); len--)
            start[len - 1] = '\0';
        if (!line)
            code = fb_fail(path, FB_ENOMEM, NULL);
        else if (*start && *start != '#' && !take(arg, number, start))
            code = FB_EXIT_USAGE;
        free(line);
    }
    free(bytes);
    return code;
}

bool fb_file_line(const char *path, const char *prefix, char *line, int size)
{
    FILE *file = fopen(path, "r");
    bool found = false;
    while (file && !found && fgets(line, size, file))
        found = !strncmp(line, prefix, strlen(prefix));
    if (file)
        fclose(file);
    line[found ? strcspn(line, "\n") : 0] = '\0';
    return found;
}

/* The executable's path without its last `levels` names; false where it is not known. */
static bool above_executable(int levels, char *out, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", out, size - 1);
    if (n <= 0)
        return false;
    out[n] = '\0';
    for (int i = 0; i < levels; i++) {
        char *slash = strrchr(out, '/');
        if (!slash)
            return false;
        *slash = '\0';
    }
    return true;
}

/* PREFIX/share/filterbench for PREFIX/bin/filterbench; false where there is no such folder. */
static bool installed_folder(char *out, size_t size)
{
    static const char share[] = "/share/filterbench";
    struct stat about;
    if (!above_executable(2, out, size))
        return false;
    size_t len = strlen(out);
    if (len + sizeof share > size)
        return false;
    memcpy(out + len, share, sizeof share);
    return !stat(out, &about) && S_ISDIR(about.st_mode);
}

void fb_data_path(const char *relative, char *out, size_t size)
{
    char folder[4096];
    const char *root = getenv("FILTERBENCH_DATA");
    if (!root || !*root)
        root = installed_folder(folder, sizeof folder) ? folder : FB_SOURCE_DIR;
    int n = snprintf(out, size, "%s/%s", root, relative);
    if (n < 0 || (size_t)n >= size)
        *out = '\0';
}

void fb_module_path(const char *name, char *out, size_t size)
{
    char folder[4096] = "";
    (void)above_executable(1, folder, sizeof folder);
    int n = snprintf(out, size, "%s/%s", folder, name);
    if (access(out, F_OK))
        n = snprintf(out, size, "%s/" FB_MODULE_FOLDER "/%s", folder, name);
    if (n < 0 || (size_t)n >= size)
        *out = '\0';
}

enum fb_exit fb_file_folder(const char *path, bool *made)
{
    struct stat about;
    *made = !mkdir(path, 0777);
    if (*made)
        return FB_EXIT_OK;
    int cause = errno;
    if (cause == EEXIST && !stat(path, &about)) {
        if (S_ISDIR(about.st_mode))
            return FB_EXIT_OK;
        cause = ENOTDIR;
    }
    return fb_file_error(path, "cannot be made", cause);
}

enum fb_exit fb_file_folders(const char *path)
{
    char folder[4096];
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        const size_t len = (size_t)(slash - path);
        if (!len || len >= sizeof folder)
            continue;
        memcpy(folder, path, len);
        folder[len] = '\0';
        if (mkdir(folder, 0777) && errno != EEXIST) {
            fb_error("%s: cannot be made: %s; give a file with -o", folder, strerror(errno));
            return FB_EXIT_IO;
        }
    }
    return FB_EXIT_OK;
}

enum fb_exit fb_file_refuse_links(const char *path)
{
    char part[256];
    struct stat there;
    for (size_t len = strcspn(path, "/");; len += 1 + strcspn(path + len + 1, "/")) {
        snprintf(part, sizeof part, "%.*s", (int)len, path);
        if (!lstat(part, &there) && S_ISLNK(there.st_mode)) {
            fb_error("%s: it is a link, and leads elsewhere; name a place with -o", part);
            return FB_EXIT_USAGE;
        }
        if (!path[len])
            return FB_EXIT_OK;
    }
}
