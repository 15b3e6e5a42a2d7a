#include "harness/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/message.h"
#include "harness/base/same_file.h"

#define STREAM_LIMIT (UINT64_C(1) << 30)

uint64_t fb_memory_limit(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2 : UINT64_C(1) << 30;
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
                         streamed ? "no end after 1 GiB, the most that is read of what is no "
                                    "regular file"
                                  : "longer than half of this machine's memory");
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
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            int cause = errno;
            fb_error("%s: cannot be read: %s", path, strerror(cause));
            free(buffer);
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

enum fb_exit fb_file_read(const char *path, uint8_t **bytes, size_t *n_bytes)
{
    bool from_stdin = !strcmp(path, "-");
    const char *name = from_stdin ? "stdin" : path;
    struct stat about;
    *bytes = NULL;
    *n_bytes = 0;
    int fd = from_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about)) {
        fb_error("%s: cannot be opened: %s", name, strerror(errno));
        if (fd > STDERR_FILENO)
            close(fd);
        return FB_EXIT_USAGE;
    }
    bool regular = S_ISREG(about.st_mode);
    size_t hint = regular && about.st_size > 0 ? (size_t)about.st_size : 4095;
    enum fb_exit code = fb_same_file_reads(name, fd);
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
    if (!strncmp(format, "fixed:", 6)) {
        fb_error("--keys-format: '%s': L is a number, e.g. fixed:16", format);
        return false;
    }
    fb_error("--keys-format: no key format '%s'%s (--help lists them)", format,
             fb_did_you_mean(format, fb_keyformats, sizeof *fb_keyformats));
    return false;
}

enum fb_exit fb_file_read_keys(const char *path, const char *format, struct fb_keyset *out)
{
    uint8_t *bytes;
    size_t n_bytes;
    struct fb_keyfile_error error = {0};
    memset(out, 0, sizeof *out);
    if (!format)
        format = fb_keyformats[0].name;
    if (!key_format_ok(format))
        return FB_EXIT_USAGE;
    enum fb_exit code = fb_file_read(path, &bytes, &n_bytes);
    if (code)
        return code;
    enum fb_err err = fb_keyfile_parse(format, bytes, n_bytes, out, &error);
    free(bytes);
    if (err == FB_OK)
        return FB_EXIT_OK;
    const char *what = error.what ? error.what : fb_err_text(err);
    if (err != FB_EINVAL)
        return fb_fail(path, err, NULL);
    fb_error("%s: %s %llu: %s (keys format %s)", path, error.line ? "line" : "byte",
             (unsigned long long)(error.line ? error.line : error.offset), what, format);
    return FB_EXIT_USAGE;
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

/* PREFIX/share/filterbench for PREFIX/bin/filterbench; false where there is no such folder. */
static bool installed_folder(char *out, size_t size)
{
    static const char share[] = "/share/filterbench";
    struct stat about;
    ssize_t n = readlink("/proc/self/exe", out, size - 1);
    if (n <= 0)
        return false;
    out[n] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(out, '/');
        if (!slash)
            return false;
        *slash = '\0';
    }
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
