#include "harness/report/page.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/printable.h"

static void print_text(FILE *file, const char *text)
{
    char *copy = strdup(text);
    for (const char *c = copy ? fb_make_printable(copy, true) : ""; *c; c++) {
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
        else
            fputc(*c, file);
    }
    free(copy);
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
