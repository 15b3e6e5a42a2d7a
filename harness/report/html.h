/* Text into HTML that is well-formed XML as well, so that any XML parser can check it. */
#ifndef FILTERBENCH_HARNESS_REPORT_HTML_H
#define FILTERBENCH_HARNESS_REPORT_HTML_H

#include <jansson.h>
#include <stdio.h>

/* A text between tags or quotes: &, <, > and quotes are escaped, what XML has no room for (control
 * characters, U+FFFE, U+FFFF) becomes '?'. */
void fb_html_text(FILE *, const char *text);

/* A line of the page: "%s" of `format` takes an escaped text, "%%" is a percent sign, and nothing
 * else is special.
 *
 *     fb_html(file, "<h2 id=\"%s\">%s</h2>\n", id, title);
 */
void fb_html(FILE *, const char *format, ...);

/* Takes control characters out of all texts and names in a document: a line break becomes a space,
 * others '?'. */
json_t *fb_html_printable(const json_t *);

#endif
