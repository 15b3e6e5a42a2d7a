#include "harness/base/message.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What was printed before stands before it. */
static void say(const char *prefix, const char *format, va_list args)
{
    char line[1024];
    fflush(stdout);
    vsnprintf(line, sizeof line, format, args);
    for (char *c = line; *c; c++)
        if (iscntrl((unsigned char)*c))
            *c = '?';
    fprintf(stderr, "filterbench: %s%s\n", prefix, line);
}

void fb_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("", format, args);
    va_end(args);
}

void fb_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("note: ", format, args);
    va_end(args);
}

enum fb_exit fb_fail(const char *what, enum fb_err err, const char *why)
{
    if (err == FB_OK)
        return FB_EXIT_OK;
    fb_error("%s: %s", what, why ? why : fb_err_text(err));
    return err == FB_EIO ? FB_EXIT_IO : FB_EXIT_USAGE;
}

/* ---- Names ---- */

const void *fb_named(const char *given, const void *table, size_t stride)
{
    const char *name, *row = table;
    while ((name = *(const char *const *)row) && strcmp(name, given) != 0)
        row += stride;
    return name ? row : NULL;
}

enum { NAME_MAX_LEN = 63 };

static unsigned min_of(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b. */
static unsigned edit_distance(const char *a, const char *b)
{
    size_t n_a = strlen(a), n_b = strlen(b);
    unsigned rows[3][NAME_MAX_LEN + 1];
    if (n_a > NAME_MAX_LEN || n_b > NAME_MAX_LEN)
        return NAME_MAX_LEN;
    unsigned *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= n_b; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= n_a; i++) {
        unsigned *oldest = before;
        before = above;
        above = row;
        row = oldest;
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= n_b; j++) {
            row[j] =
                min_of(above[j - 1] + (a[i - 1] != b[j - 1]), min_of(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = min_of(row[j], before[j - 2] + 1);
        }
    }
    return row[n_b];
}

const char *fb_nearest(const char *given, const void *table, size_t stride)
{
    const char *found = NULL, *name, *row = table;
    unsigned best = (unsigned)strlen(given) / 2 + 2; /* half the letters given may differ */
    for (; (name = *(const char *const *)row); row += stride) {
        unsigned distance = edit_distance(given, name);
        size_t head = strcspn(given, ":");
        if (strlen(given) > 1 && strstr(name, given))
            distance = 1; /* a part of a longer name */
        if (given[head] && !strncmp(given, name, head + 1))
            distance = 0; /* another parameter: "zipf:x" for "zipf:THETA" */
        if (distance < best) {
            best = distance;
            found = name;
        }
    }
    return found;
}

const char *fb_did_you_mean(const char *given, const void *table, size_t stride)
{
    static char text[NAME_MAX_LEN + 32];
    const char *name = fb_nearest(given, table, stride);
    snprintf(text, sizeof text, name ? ", did you mean '%s'?" : "%s", name ? name : "");
    return text;
}
