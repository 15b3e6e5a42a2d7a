#include "harness/base/screen.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/base/printable.h"

enum { USUAL_WIDTH = 80, LEAST_WIDTH = 20 };

static bool all_of_tables, verbose;
static FILE *flowing;

/* As fb_screen_table_width, of prose. */
static int width_of(FILE *file)
{
    struct winsize window;
    const int fd = fileno(file);
    if (fd < 0 || !isatty(fd))
        return 0;
    if (ioctl(fd, TIOCGWINSZ, &window) || !window.ws_col)
        return USUAL_WIDTH;
    return window.ws_col < LEAST_WIDTH ? LEAST_WIDTH : window.ws_col;
}

int fb_screen_table_width(FILE *file)
{
    return all_of_tables ? 0 : width_of(file);
}

void fb_screen_show_all(void)
{
    all_of_tables = true;
}

bool fb_screen_has_colours(FILE *file)
{
    const char *without = getenv("NO_COLOR"), *term = getenv("TERM");
    return width_of(file) && (!without || !*without) && term && strcmp(term, "dumb") != 0;
}

int fb_screen_colour(const char *verdict)
{
    static const struct {
        const char *begins;
        int colour;
    } verdicts[] = {{"not ", FB_RED},
                    {"failed", FB_RED},
                    {"regressed", FB_RED},
                    {"slower", FB_RED},
                    {"falls", FB_RED},
                    {"broken", FB_RED},
                    {"no filter", FB_RED},
                    {"differ", FB_RED},
                    {"missing", FB_RED},
                    {"more", FB_RED},
                    {"LOW", FB_RED},
                    {"INCOMPLETE", FB_RED},
                    {"reproduced", FB_GREEN},
                    {"confirmed", FB_GREEN},
                    {"improved", FB_GREEN},
                    {"faster", FB_GREEN},
                    {"holds", FB_GREEN},
                    {"equal", FB_GREEN},
                    {"within", FB_GREEN},
                    {"unchanged", FB_GREEN},
                    {"valid", FB_GREEN},
                    {"HIGH", FB_GREEN},
                    {"none seen", FB_GREEN},
                    {"machine", FB_RED},
                    {"cannot tell", FB_YELLOW},
                    {"slightly", FB_YELLOW},
                    {"layout", FB_YELLOW},
                    {"undecided", FB_YELLOW},
                    {"inconclusive", FB_YELLOW},
                    {"MEDIUM", FB_YELLOW}};
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        if (!strncmp(verdict, verdicts[i].begins, strlen(verdicts[i].begins)))
            return verdicts[i].colour;
    return 0;
}

bool fb_screen_is_verbose(void)
{
    return verbose;
}

void fb_screen_be_verbose(void)
{
    verbose = true;
}

void fb_screen_flow(FILE *file)
{
    flowing = file;
}

bool fb_screen_flows(FILE *file)
{
    return flowing && file == flowing;
}

/* ---- Lines ---- */

/* Whether a word may be broken behind text[i]: a path, an id, a list. */
static bool is_joint(const char *text, size_t i)
{
    return text[i] == '/' || text[i] == ',' ||
           ((text[i] == '.' || text[i] == '_') && i && isalpha((unsigned char)text[i - 1]) &&
            isalpha((unsigned char)text[i + 1]));
}

/* Bytes of a quotation that the text begins with; 0: with none. */
static size_t quotation(const char *text)
{
    const size_t open = *text == '(';
    const char quote = text[open], *end = text + open;
    if (quote != '\'' && quote != '`')
        return 0;
    do
        end = strchr(end + 1, quote);
    while (end && end[1] && !strchr(" .,;:)?!", end[1]));
    return end ? (size_t)(end - text) + 1 : 0;
}

/* Bytes of the value that stands behind an option: a quotation, or a word with a digit, '=' or ','
 * in it. "--resume goes on" has none: 0. */
static size_t option_value(const char *text)
{
    const size_t word = strcspn(text, " "), inside = strcspn(text, "0123456789=,");
    const bool plain = inside + 1 < word || isdigit((unsigned char)*text);
    return quotation(text) ? quotation(text) : plain ? word : 0;
}

/* Bytes up to the space behind the first word. An interval is one, "[0.815, 0.8283]", and what is
 * to be pasted, of at most `most` bytes: a quotation, and an option with its value. */
static size_t word_length(const char *text, size_t most)
{
    enum { MOST = 32 };
    const size_t inside = *text == '[' ? strspn(text + 1, "0123456789.,+-e ") : 0;
    const bool interval = inside && inside < MOST && text[1 + inside] == ']';
    const size_t option = strncmp(text, "--", 2) ? 0 : strcspn(text, " ") + 1;
    const size_t value = option && text[option - 1] ? option_value(text + option) : 0;
    const size_t start = interval ? inside + 2 : value ? option + value : quotation(text);
    const size_t whole = start + strcspn(text + start, " ");
    return interval || whole <= most ? whole : strcspn(text, " ");
}

/* Bytes of a word of `whole` bytes up to its last joint within `most`, or of all of it. */
static size_t part_of_word(const char *word, size_t whole, size_t most)
{
    size_t part = 0;
    for (size_t i = 0; i < whole && i < most && !memchr(word, ' ', whole); i++)
        if (is_joint(word, i))
            part = i + 1;
    return part ? part : whole;
}

/* As fb_screen_line; what is to be pasted is broken beyond `pasted` bytes. */
static size_t line_of(const char *text, size_t most, size_t pasted, const char **next)
{
    size_t fit = 0, at = strspn(text, " ");
    while (text[at]) {
        const size_t whole = word_length(text + at, pasted), end = at + whole;
        if (end > most && !fit)
            fit = at + part_of_word(text + at, whole, most > at ? most - at : 0);
        if (end > most)
            break;
        fit = end;
        at = end + strspn(text + end, " ");
    }
    *next = text + fit + strspn(text + fit, " ");
    return fit;
}

size_t fb_screen_line(const char *text, int width, const char **next)
{
    const size_t most = width > 0 ? (size_t)width : 0;
    return line_of(text, most, most, next);
}

int fb_screen_least(const char *text)
{
    size_t most = 0;
    for (size_t at = strspn(text, " "); text[at]; at += strspn(text + at, " ")) {
        const size_t end = at + word_length(text + at, 0);
        const bool whole = memchr(text + at, ' ', end - at);
        for (size_t part = 0; at < end; at++) {
            part++;
            most = part > most ? part : most;
            if (!whole && is_joint(text, at))
                part = 0;
        }
    }
    return (int)most;
}

/* ---- Prose ---- */

/* A newline and what indents the next line become one space; the last newline goes. */
static void join_lines(char *text)
{
    size_t to = 0;
    for (size_t from = 0; text[from]; from++) {
        const bool breaks = text[from] == '\n';
        if (!breaks || text[from + 1])
            text[to++] = (char)(breaks ? ' ' : text[from]);
        if (breaks)
            from += strspn(text + from + 1, " ");
    }
    text[to] = '\0';
}

/* verdict: as of fb_say_verdict, or NULL. */
static void print_line(FILE *file, int indent, const char *line, size_t len, const char *verdict)
{
    const char *at = verdict ? strstr(line, verdict) : NULL;
    const size_t before = at && at < line + len ? (size_t)(at - line) : len;
    const size_t word = before < len ? strlen(verdict) : 0;
    fprintf(file, "%*s%.*s", indent, "", (int)before, line);
    if (word)
        fprintf(file, "\033[%dm%s\033[0m", fb_screen_colour(verdict), verdict);
    fprintf(file, "%.*s\n", (int)(len - before - word), line + before + word);
}

static void set_anew(FILE *file, const char *text, int width, int hang, const char *verdict)
{
    const char *line = text, *next;
    if (2 * hang > width)
        hang = 2;
    do {
        const int indent = line == text ? 0 : hang;
        const size_t len = line_of(line, (size_t)(width - indent), SIZE_MAX, &next);
        print_line(file, indent, line, len, verdict);
        line = next;
    } while (*line);
}

static void say(FILE *file, int hang, bool aside, const char *verdict, const char *format,
                va_list args)
{
    const int width = width_of(file);
    const bool flows = fb_screen_flows(file);
    char *text = NULL;
    va_list again;
    va_copy(again, args);
    const int len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (len < 0 || !(text = malloc((size_t)len + 1)))
        return;
    vsnprintf(text, (size_t)len + 1, format, args);
    fb_make_printable(text, true);
    if (width || flows)
        join_lines(text);
    if (!width && !flows)
        fputs(text, file);
    else if (flows)
        fprintf(file, "%.*s%s\n", aside ? 1 : 0, (const char[]){FB_FLOW_ASIDE}, text);
    else
        set_anew(file, text, width, hang, fb_screen_has_colours(file) ? verdict : NULL);
    free(text);
}

void fb_say(FILE *file, int hang, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(file, hang, false, NULL, format, args);
    va_end(args);
}

void fb_say_verdict(FILE *file, int hang, const char *verdict, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(file, hang, false, verdict, format, args);
    va_end(args);
}

void fb_say_aside(FILE *file, int hang, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(file, hang, true, NULL, format, args);
    va_end(args);
}
