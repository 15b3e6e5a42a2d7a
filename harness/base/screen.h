/*
 * How wide the screen is, and prose that fits it.
 */
#ifndef FILTERBENCH_HARNESS_BASE_SCREEN_H
#define FILTERBENCH_HARNESS_BASE_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

/* Columns that a table may take of the terminal that the stream writes to; 80 where the terminal
 * does not tell. 0: there is no limit, as the stream is a file, a pipe or memory, or
 * fb_screen_show_all was called, for --wide. */
int fb_screen_table_width(FILE *);
void fb_screen_show_all(void);

/* Whether the stream is a terminal that shows colours, and NO_COLOR is not set, or is
 * empty (no-color.org). */
bool fb_screen_has_colours(FILE *);

/* The colour there of a verdict, which is known by how it begins; 0: it has none. */
enum { FB_RED = 31, FB_GREEN, FB_YELLOW };
int fb_screen_colour(const char *verdict);

/* Whether what results rest on is told as well: noise, clocks, caches. For --verbose. */
bool fb_screen_is_verbose(void);
void fb_screen_be_verbose(void);

/*
 * Prints one paragraph, which ends with a newline. A newline inside it is where a line ends in a
 * file or pipe. On a terminal the paragraph is set anew: lines end at spaces, and all but the first
 * are indented by `hang`.
 */
void fb_say(FILE *, int hang, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same; where the stream shows colours, `verdict`, one word of the text, has its own. */
void fb_say_verdict(FILE *, int hang, const char *verdict, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same for a paragraph that says how to read a table, and nothing of what was found. */
void fb_say_aside(FILE *, int hang, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- For programs that read what is printed ---- */

/*
 * A stream flows once it was named here; NULL: none does. Each paragraph of fb_say is one line of
 * it. The first letter of a line says what it is, of an aside, or of a table of style
 * FB_TABLE_DATA; other lines have none. What is not printable becomes '?' (printable.h).
 */
enum { FB_FLOW_ASIDE = '\1', FB_FLOW_TABLE = '\2' };
void fb_screen_flow(FILE *);
bool fb_screen_flows(FILE *);

/* ---- For tables ---- */

/* Bytes of `text` that are one line of at most `width`: up to a space. A longer word is broken
 * behind a '/', a ',' or a '.' or '_' between letters, as paths, lists and ids have them, and not
 * otherwise; an interval, "[0.815, 0.8283]", and a quotation that has room, 'filterbench list',
 * nowhere. *next: what the next line begins with. */
size_t fb_screen_line(const char *text, int width, const char **next);
/* The width below which fb_screen_line returns longer lines. */
int fb_screen_least(const char *text);

#endif
