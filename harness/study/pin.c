#include "harness/study/pin.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/environment.h"
#include "harness/base/json.h"
#include "harness/base/message.h"

/* The hash of a file's bytes; NULL: it is no regular file, or cannot be read. */
static json_t *hash_of(const char *path)
{
    struct stat about;
    json_t *hash = NULL;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (!fstat(fd, &about) && S_ISREG(about.st_mode) && about.st_size) {
        void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        hash = bytes == MAP_FAILED ? NULL : fb_json_xxh3(bytes, (size_t)about.st_size);
        if (bytes != MAP_FAILED)
            munmap(bytes, (size_t)about.st_size);
    }
    close(fd);
    return hash;
}

json_t *fb_pin_files(const json_t *command)
{
    json_t *files = json_object(), *word;
    size_t i;
    json_array_foreach((json_t *)command, i, word) {
        const char *text = json_string_value(word), *equals = strchr(text, '=');
        const char *path = *text == '-' && equals ? equals + 1 : text;
        json_t *hash = i ? hash_of(path) : NULL; /* the first one is a verb */
        if (hash)
            json_object_set_new(files, path, hash);
    }
    return files;
}

enum fb_exit fb_pin_check(const char *name, const json_t *study)
{
    const json_t *tool = json_object_get(study, "tool"), *files = json_object_get(study, "files");
    json_t *here = fb_environment_tool(), *hash;
    const bool same = !tool || json_equal(tool, here);
    const char *path;
    if (!same)
        fb_error("%s: filterbench %s (%s) made this study, and this is %s (%s); use that one, or "
                 "make a new study",
                 name, fb_json_str(tool, "version"), fb_json_str(tool, "git"),
                 fb_json_str(here, "version"), fb_json_str(here, "git"));
    json_decref(here);
    if (!same)
        return FB_EXIT_NOT_COMPARABLE;
    json_object_foreach((json_t *)files, path, hash) {
        json_t *found = hash_of(path);
        const bool equal = json_equal(found, hash);
        json_decref(found);
        if (!equal) {
            fb_error("%s: %s %s since this study was made; put it back, or make a new study", name,
                     path, found ? "has changed" : "cannot be read or is empty");
            return FB_EXIT_NOT_COMPARABLE;
        }
    }
    return FB_EXIT_OK;
}
