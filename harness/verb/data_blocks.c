#include "harness/verb/data_blocks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/message.h"

/* A decimal number at *text, which moves behind it; false: there is none, or it is too large. */
static bool take_number(const char **text, const char *end, uint64_t *number)
{
    const char *at = *text;
    *number = 0;
    for (; at < end && *at >= '0' && *at <= '9' && *number < UINT64_MAX / 10; at++)
        *number = *number * 10 + (uint64_t)(*at - '0');
    const bool any = at > *text;
    *text = at;
    return any;
}

static void skip_blanks(const char **text, const char *end)
{
    while (*text < end && (**text == ' ' || **text == '\t' || **text == '\r'))
        ++*text;
}

static bool take_line(const char *line, const char *end, struct fb_data_block *out)
{
    if (!take_number(&line, end, &out->offset) || line == end || (*line != ' ' && *line != '\t'))
        return false;
    skip_blanks(&line, end);
    const bool keys = take_number(&line, end, &out->n_keys);
    skip_blanks(&line, end);
    return keys && line == end;
}

static enum fb_exit read_lines(const char *path, const char *text, size_t len,
                               struct fb_data_block *list, size_t *n)
{
    const char *const end = text + len;
    size_t number = 1;
    for (const char *line = text; line < end; number++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *stop = newline ? newline : end, *start = line;
        skip_blanks(&start, stop);
        if (start < stop && *start != '#' && !take_line(start, stop, &list[(*n)++])) {
            fb_error("%s:%zu: not the offset of a data block and its number of keys, as '4104 39'",
                     fb_file_name(path), number);
            return FB_EXIT_USAGE;
        }
        line = newline ? newline + 1 : end;
    }
    if (*n)
        return FB_EXIT_OK;
    fb_error("%s: names no data block: a line 'OFFSET KEYS' each", fb_file_name(path));
    return FB_EXIT_USAGE;
}

enum fb_exit fb_data_blocks_read(const char *path, struct fb_data_block **list, size_t *n)
{
    uint8_t *text;
    size_t len, lines = 1;
    enum fb_exit code = fb_file_read(path, &text, &len);
    *list = NULL;
    *n = 0;
    if (code)
        return code;
    for (size_t i = 0; i < len; i++)
        lines += text[i] == '\n';
    *list = malloc(lines * sizeof **list);
    code = *list ? read_lines(path, (const char *)text, len, *list, n)
                 : fb_fail(path, FB_ENOMEM, NULL);
    free(text);
    if (code) {
        free(*list);
        *list = NULL;
    }
    return code;
}
