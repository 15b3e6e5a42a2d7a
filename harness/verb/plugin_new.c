#include "harness/verb/plugin_new.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "filters/core/filter.h"
#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/output.h"

enum { MOST_NAME = 31, MOST_PATH = 4096 };

/* The text with @NAME@ and @ID@ filled in; an id is a name with '_' for '-'. */
static void fill(FILE *file, const char *text, size_t len, const char *name, const char *id)
{
    for (const char *end = text + len; text < end; text++) {
        const bool is_name = !strncmp(text, "@NAME@", 6), is_id = !strncmp(text, "@ID@", 4);
        if (is_name || is_id) {
            fputs(is_name ? name : id, file);
            text += is_name ? 5 : 3;
        } else {
            fputc(*text, file);
        }
    }
}

static enum fb_exit write_file(const char *template, const char *folder, const char *file_name,
                               const char *name, const char *id)
{
    char from[MOST_PATH], to[MOST_PATH];
    uint8_t *text = NULL;
    size_t len;
    struct fb_output out = {0};
    fb_data_path(template, from, sizeof from);
    if (snprintf(to, sizeof to, "%s/%s", folder, file_name) >= (int)sizeof to)
        return FB_EXIT_USAGE;
    if (!access(to, F_OK)) {
        fb_error("%s: it is there already; give another folder with -o", to);
        return FB_EXIT_USAGE;
    }
    enum fb_exit code = fb_file_read(from, &text, &len);
    if (!code)
        code = fb_output_open(to, &out);
    if (!code) {
        fill(out.file, (const char *)text, len, name, id);
        code = fb_output_commit(&out);
    }
    fb_output_close(&out);
    free(text);
    return code;
}

static void remove_file(const char *folder, const char *file_name)
{
    char path[MOST_PATH];
    if (snprintf(path, sizeof path, "%s/%s", folder, file_name) < (int)sizeof path)
        unlink(path);
}

static bool is_name(const char *name)
{
    const char *letters = "abcdefghijklmnopqrstuvwxyz0123456789-";
    return *name >= 'a' && *name <= 'z' && strlen(name) <= MOST_NAME &&
           !name[strspn(name, letters)];
}

enum fb_exit fb_plugin_new(const char *name, const char *folder)
{
    char id[MOST_NAME + 1], source[MOST_NAME + 3];
    if (!is_name(name)) {
        fb_error("plugin new: '%s' is no name for a design; give up to %d of a-z, 0-9 and '-', "
                 "first a letter",
                 name, MOST_NAME);
        return FB_EXIT_USAGE;
    }
    if (fb_design_find(name)) {
        fb_error("plugin new: there is a design '%s' already; give another name", name);
        return FB_EXIT_USAGE;
    }
    snprintf(id, sizeof id, "%s", name);
    for (char *c = id; *c; c++)
        *c = *c == '-' ? '_' : *c;
    snprintf(source, sizeof source, "%s.c", id);
    folder = folder ? folder : name;
    const bool made = !mkdir(folder, 0777);
    if (!made && errno != EEXIST) {
        fb_error("%s: cannot be made: %s", folder, strerror(errno));
        return FB_EXIT_IO;
    }
    enum fb_exit code = write_file("filters/plugin/skeleton.c.in", folder, source, name, id);
    if (!code) {
        code = write_file("filters/plugin/skeleton.mk.in", folder, "Makefile", name, id);
        if (code)
            remove_file(folder, source);
    }
    if (code && made)
        rmdir(folder);
    if (!code)
        fb_note("wrote %s/%s and %s/Makefile; next: make -C %s check", folder, source, folder,
                folder);
    return code;
}
