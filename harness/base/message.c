#include "harness/base/message.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/printable.h"
#include "harness/base/screen.h"

/* What was printed before stands before it. */
static void say(const char *prefix, const char *format, va_list args)
{
    char line[1024];
    fflush(stdout);
    vsnprintf(line, sizeof line, format, args);
    fb_say(stderr, 4, "filterbench: %s%s\n", prefix, fb_make_printable(line, false));
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
    const char *text = fb_err_text(err), *says = why ? why : text;
    fb_error("%s: %s", what, says);
    if (err == FB_ENOMEM && !strcmp(says, text))
        return FB_EXIT_MEMORY;
    return err == FB_EIO ? FB_EXIT_IO : FB_EXIT_USAGE;
}

/* ---- Names ---- */

bool fb_refuse(struct fb_problem *problem, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(problem->text, sizeof problem->text, format, args);
    va_end(args);
    return false;
}

void fb_append(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, size - used, format, list);
    va_end(list);
}

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

static int lower(char c)
{
    return tolower((unsigned char)c);
}

/* A name or the part of it before its parameter: "zipf" of "zipf:THETA". */
struct part {
    const char *at;
    size_t len;
};

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b; case does not
 * count. */
static unsigned edit_distance(struct part a, struct part b)
{
    unsigned rows[3][NAME_MAX_LEN + 1];
    if (a.len > NAME_MAX_LEN || b.len > NAME_MAX_LEN)
        return NAME_MAX_LEN;
    unsigned *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b.len; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= a.len; i++) {
        const int letter = lower(a.at[i - 1]);
        unsigned *oldest = before;
        before = above;
        above = row;
        row = oldest;
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b.len; j++) {
            row[j] = min_of(above[j - 1] + (letter != lower(b.at[j - 1])),
                            min_of(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && letter == lower(b.at[j - 2]) &&
                lower(a.at[i - 2]) == lower(b.at[j - 1]))
                row[j] = min_of(row[j], before[j - 2] + 1);
        }
    }
    return row[b.len];
}

static bool contains(struct part whole, struct part inner)
{
    for (size_t at = 0; at + inner.len <= whole.len; at++) {
        size_t same = 0;
        while (same < inner.len && lower(whole.at[at + same]) == lower(inner.at[same]))
            same++;
        if (same == inner.len)
            return true;
    }
    return false;
}

/* Letters that are wrong; a part of a longer name is one off. Where either has a parameter, what
 * stands before it counts: "zipf:x" is "zipf:THETA". */
static unsigned distance(const char *given, const char *name)
{
    struct part a = {given, strlen(given)}, b = {name, strlen(name)};
    if (strchr(name, ':')) {
        a.len = strcspn(given, ":");
        b.len = strcspn(name, ":");
    }
    const unsigned edits = edit_distance(a, b);
    return a.len > 1 && contains(b, a) ? min_of(edits, 1) : edits;
}

static size_t common_start(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && lower(a[n]) == lower(b[n]))
        n++;
    return n;
}

const char *fb_nearest(const char *given, const void *table, size_t stride)
{
    const size_t len = strlen(given);
    const unsigned most = len < 4 ? 1 : (unsigned)len / 2;
    const char *found = NULL, *name, *row = table;
    unsigned best = most;
    for (; (name = *(const char *const *)row); row += stride) {
        const unsigned wrong = distance(given, name);
        if (wrong > best)
            continue;
        if (found && wrong == best) { /* begins like it, or is shorter; of a family the first */
            const size_t start = common_start(given, name), other = common_start(given, found);
            const bool all = start == len && other == len;
            if (start < other || (all && name[len] == '-' && found[len] == '-') ||
                (start == other && strlen(name) >= strlen(found)))
                continue;
        }
        best = wrong;
        found = name;
    }
    return found;
}

const char *fb_did_you_mean(const char *given, const void *table, size_t stride)
{
    static char text[NAME_MAX_LEN + 32];
    const char *name = fb_nearest(given, table, stride);
    if (name && !strcmp(name, given)) /* it was meant, and is wrong for another reason */
        name = NULL;
    snprintf(text, sizeof text, name ? ", did you mean '%s'?" : "%s", name ? name : "");
    return text;
}
