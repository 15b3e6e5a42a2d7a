#include "harness/document/card.h"

#include <stdarg.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/screen.h"

/* Braces of a format; what is set into it has none of these. */
enum { OPEN = '\1', CLOSE = '\2' };

/* Leaves out what stands in braces, the last first, until the rest fits a line. */
static void fit(char *text)
{
    for (char *open; (open = strrchr(text, OPEN));) {
        char *close = strchr(open, CLOSE); /* none: the text was cut */
        size_t length = 0;
        for (const char *c = text; *c; c++)
            length += *c != OPEN && *c != CLOSE;
        if (length > FB_CARD_COLUMNS)
            memmove(open, close ? close + 1 : "", close ? strlen(close) : 1);
        else
            for (char *to = text, *c = text; (*to = *c); c++)
                to += *c != OPEN && *c != CLOSE;
    }
}

void fb_card_set(struct fb_card *card, enum fb_card_part part, const char *format, ...)
{
    char marked[FB_CARD_TEXT];
    va_list list;
    snprintf(marked, sizeof marked, "%s", format);
    for (char *c = marked; part != FB_CARD_NEXT && *c; c++)
        *c = *c == '{' ? OPEN : *c == '}' ? CLOSE : *c;
    va_start(list, format);
    vsnprintf(card->part[part], FB_CARD_TEXT, marked, list);
    va_end(list);
    if (part != FB_CARD_NEXT)
        fit(card->part[part]);
}

/* A part in lines of 80 columns. */
static json_t *lines_of(const char *text)
{
    json_t *lines = json_array();
    while (*text) {
        const char *next;
        const size_t n = fb_screen_line(text, FB_CARD_COLUMNS, &next);
        json_array_append_new(lines, json_stringn(text, n));
        text = next;
    }
    return lines;
}

json_t *fb_card_lines(const struct fb_card *card)
{
    static const enum fb_card_part spared[] = {FB_CARD_CHANGE, FB_CARD_SURE, FB_CARD_AMOUNT};
    json_t *parts[FB_CARD_PARTS], *lines = json_array();
    size_t n = 0;
    for (int p = 0; p < FB_CARD_PARTS; p++) {
        parts[p] = p == FB_CARD_NEXT ? json_array() : lines_of(card->part[p]);
        if (p == FB_CARD_NEXT && *card->part[p])
            json_array_append_new(parts[p], json_sprintf("Next: %s", card->part[p]));
        n += json_array_size(parts[p]);
    }
    for (size_t i = 0; n > FB_CARD_LINES && i < sizeof spared / sizeof *spared; i++) {
        n -= json_array_size(parts[spared[i]]);
        json_array_clear(parts[spared[i]]);
    }
    for (int p = 0; p < FB_CARD_PARTS; p++) {
        json_array_extend(lines, parts[p]);
        json_decref(parts[p]);
    }
    return lines;
}

const char *fb_card_quoted(const char *path, char out[FB_CARD_TEXT])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./+,:@%=-";
    const char *before = *path == '-' ? "./" : "";
    size_t n = 0;
    if (!path[strspn(path, plain)]) {
        snprintf(out, FB_CARD_TEXT, "%s%s", before, path);
        return out;
    }
    n = (size_t)snprintf(out, FB_CARD_TEXT, "'%s", before);
    for (; *path && n + 6 < FB_CARD_TEXT; path++)
        n += (size_t)snprintf(out + n, FB_CARD_TEXT - n, *path == '\'' ? "'\\''" : "%c", *path);
    strcpy(out + n, "'");
    return out;
}

void fb_card_next(struct fb_card *card, const char *path, const char *verb, const char *options)
{
    if (path)
        fb_card_set(card, FB_CARD_NEXT, "filterbench %s %s%s", verb, path, options);
    else
        fb_card_set(card, FB_CARD_NEXT, "give -o FILE, and ask FILE with show, plot or report");
}

const char *fb_card_count(size_t n, const char *unit, char out[64])
{
    snprintf(out, 64, "%zu %.*s", n, (int)(strlen(unit) - (n == 1)), unit);
    return out;
}

void fb_card_print(FILE *file, const json_t *lines, const char *verdict)
{
    FB_EACH(line, lines) {
        const char *text = json_string_value(line);
        const bool has = verdict && strstr(text, verdict);
        fb_say_verdict(file, 0, has ? verdict : NULL, "%s\n", text);
        verdict = has ? NULL : verdict;
    }
    if (json_array_size(lines))
        fputc('\n', file);
}
