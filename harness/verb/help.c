#include "harness/verb/help.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/screen.h"

/* From column `at` on, further lines behind `hang` blanks; `at` may be beyond `hang`. */
static void wrapped(FILE *file, const char *text, int at, int hang)
{
    if (at > hang - 2 && hang)
        fprintf(file, "\n%*s", hang, "");
    else
        fprintf(file, "%*s", hang - at, "");
    for (const char *line = text, *next; *line; line = next) {
        const size_t len = fb_screen_line(line, FB_HELP_WIDTH - hang, &next);
        fprintf(file, "%*s%.*s\n", line == text ? 0 : hang, "", (int)len, line);
    }
}

static void print_line(FILE *file, char *line)
{
    char *tab = strchr(line, '\t');
    if (!tab) {
        wrapped(file, line, 0, 0);
        return;
    }
    *tab = '\0';
    const int indent = strncmp(line, "--", 2) ? 2 : 6; /* a long form stands below the others */
    wrapped(file, tab + 1, fprintf(file, "%*s%s", indent, "", line), FB_HELP_COLUMN);
}

void fb_help_print(FILE *file, const char *text)
{
    char *copy = strdup(text);
    for (char *line = copy, *next; line && *line; line = next) {
        const size_t len = strcspn(line, "\n");
        next = line + len + (line[len] == '\n');
        line[len] = '\0';
        if (*line)
            print_line(file, line);
        else
            fputc('\n', file);
    }
    free(copy);
}
