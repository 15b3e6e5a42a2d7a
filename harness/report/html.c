#include "harness/report/page.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void print_text(FILE *file, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        const bool no_character = c[0] == 0xef && c[1] == 0xbf && (c[2] == 0xbe || c[2] == 0xbf);
        if (*c == '&')
            fputs("&amp;", file);
        else if (*c == '<')
            fputs("&lt;", file);
        else if (*c == '>')
            fputs("&gt;", file);
        else if (*c == '"')
            fputs("&quot;", file);
        else if (*c == '\'')
            fputs("&#39;", file);
        else if (no_character || (*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f)
            fputc('?', file);
        else
            fputc(*c, file);
        c += no_character ? 2 : 0;
    }
}

void fb_html(FILE *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    for (const char *c = format; *c; c++) {
        if (*c != '%') {
            fputc(*c, file);
            continue;
        }
        c++;
        if (*c == 's')
            print_text(file, va_arg(args, const char *));
        else
            fputc('%', file);
    }
    va_end(args);
}

static json_t *printable_text(const char *text)
{
    char *copy = strdup(text);
    for (char *c = copy; c && *c; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (byte < ' ' || byte == 0x7f)
            *c = byte == '\n' || byte == '\t' ? ' ' : '?';
    }
    json_t *made = copy ? json_string(copy) : NULL;
    free(copy);
    return made;
}

json_t *fb_html_printable(const json_t *value)
{
    json_t *made;
    if (json_is_string(value))
        return printable_text(json_string_value(value));
    if (json_is_array(value)) {
        made = json_array();
        FB_EACH(inner, value)
            json_array_append_new(made, fb_html_printable(inner));
        return made;
    }
    if (!json_is_object(value))
        return json_incref((json_t *)value);
    made = json_object();
    FB_EACH_MEMBER(name, inner, value) {
        json_auto_t *key = printable_text(name);
        json_object_set_new(made, key ? json_string_value(key) : "", fb_html_printable(inner));
    }
    return made;
}
