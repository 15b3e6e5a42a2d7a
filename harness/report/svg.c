#include "harness/report/page.h"

#include <stdlib.h>
#include <string.h>

/* Those that draw, and attributes of theirs that draw; a blank before and behind each. */
static const char elements[] = " svg g defs path circle rect polygon polyline line use text tspan "
                               "pattern clipPath filter feFlood feComposite title desc ";
static const char attributes[] =
    " viewBox x y width height r cx cy d points x1 x2 y1 y2 dx dy transform fill fill-opacity "
    "stroke "
    "opacity stroke-width stroke-linecap stroke-linejoin stroke-dasharray stroke-opacity color "
    "font-size font-weight font-style text-anchor baseline-shift id xlink:href xml:space "
    "filterUnits flood-color flood-opacity result in in2 operator patternUnits shape-rendering "
    "clip-path ";

enum { DEPTH = 32, NAME = 32 };

struct writer {
    FILE *file;
    const char *prefix, *label;
    char *pending; /* an open <g ...> of which nothing was written yet */
    size_t depth;
    char open[DEPTH][NAME]; /* of `elements` */
};

static bool is(const char *text, size_t len, const char *name)
{
    return strlen(name) == len && !strncmp(text, name, len);
}

/* Whether the text is one of the names; it is then in `name`. */
static bool known(const char *names, const char *text, size_t len, char name[NAME])
{
    char between[NAME + 2];
    if (len >= NAME)
        return false;
    snprintf(name, NAME, "%.*s", (int)len, text);
    snprintf(between, sizeof between, " %s ", name);
    return strstr(names, between);
}

static void flush_pending(struct writer *w)
{
    if (w->pending)
        fputs(w->pending, w->file);
    free(w->pending);
    w->pending = NULL;
}

/* A value without needless blanks; references inside the picture get the prefix. False for
 * references to anything else. */
static bool print_value(FILE *file, const char *name, const char *value, size_t len,
                        const char *prefix)
{
    const bool link = !strcmp(name, "xlink:href");
    if (link && *value != '#')
        return false;
    if (!strcmp(name, "id") || link)
        fprintf(file, "%s%s", link ? "#" : "", prefix);
    for (size_t i = link; i < len; i++) {
        const bool blank = strchr(" \t\n", value[i]);
        if (value[i] == '<' || value[i] == '"')
            return false;
        if (!strncmp(value + i, "url(", 4)) {
            if (i + 5 > len || value[i + 4] != '#')
                return false;
            fprintf(file, "url(#%s", prefix);
            i += 4;
            continue;
        }
        const char last = i ? value[i - 1] : ' ';
        if (!blank || (i + 1 < len && !strchr(" \t\n(,", last) && !strchr(" \t\n", value[i + 1])))
            fputc(blank ? ' ' : value[i], file);
    }
    return true;
}

/* What need not be said: a default, or an id of a group, which nothing refers to and which panels
 * of one picture share. */
static bool is_idle(const char *name, const char *value, size_t len)
{
    return (!strcmp(name, "id") && len > 7 && !strncmp(value, "gnuplot", 7)) ||
           (!strcmp(name, "stroke-linecap") && is(value, len, "butt")) ||
           (!strcmp(name, "stroke-linejoin") && is(value, len, "miter"));
}

/* Attributes up to the end of a tag; *at moves behind them. */
static bool print_attributes(struct writer *w, FILE *file, const char **at)
{
    const char *c = *at;
    for (;;) {
        c += strspn(c, " \t\n");
        const size_t len = strcspn(c, " \t\n=/>");
        const char *text = c;
        if (!len)
            break;
        c += len;
        c += strspn(c, " \t\n");
        if (*c++ != '=')
            return false;
        c += strspn(c, " \t\n");
        const char quote[2] = {*c++, '\0'};
        const size_t size = strcspn(c, quote);
        if ((*quote != '"' && *quote != '\'') || !c[size])
            return false;
        char name[NAME];
        if (known(attributes, text, len, name) && !is_idle(name, c, size)) {
            fprintf(file, " %s=\"", strcmp(name, "xlink:href") ? name : "href");
            if (!print_value(file, name, c, size, w->prefix))
                return false;
            fputc('"', file);
        }
        c += size + 1;
    }
    *at = c;
    return true;
}

/* Whether a tag is the sheet of paper that the picture is drawn on. */
static bool is_paper(const char *name, const char *tag, size_t len)
{
    return !strcmp(name, "rect") && len > 20 && !strncmp(tag, " x=\"0\" y=\"0\"", 12) &&
           strstr(tag, "fill=\"#ffffff\"") && strstr(tag, "fill=\"#ffffff\"") < tag + len;
}

static bool print_start(struct writer *w, const char **at)
{
    const char *c = *at;
    char *text = NULL, name[NAME];
    size_t size;
    if (!known(elements, c, strcspn(c, " \t\n/>"), name))
        return false;
    c += strlen(name);
    const char *tag = c;
    FILE *held = open_memstream(&text, &size);
    bool well = held && print_attributes(w, held, &c);
    if (held)
        fclose(held);
    const bool ends = *c == '/';
    c += ends;
    well = well && *c == '>' && w->depth < DEPTH;
    if (well && !ends)
        strcpy(w->open[w->depth++], name);
    /* What is left out, and an element whose text is. */
    const bool told = strcmp(name, "title") && strcmp(name, "desc");
    const bool shown = told && !(ends && is_paper(name, tag, (size_t)(c - tag)));
    if (well && shown) {
        flush_pending(w);
        if (!strcmp(name, "svg")) {
            fb_html(w->file, "<svg class=\"plot\" role=\"img\" aria-label=\"%s\"", w->label);
            fprintf(w->file, " xmlns=\"http://www.w3.org/2000/svg\"%s>", text);
        } else if (!strcmp(name, "g") && !ends) {
            w->pending = malloc(size + sizeof "<g>");
            if (w->pending)
                sprintf(w->pending, "<g%s>", text);
        } else {
            fprintf(w->file, "<%s%s%s>", name, text, ends ? "/" : "");
        }
    }
    free(text);
    c += well;
    if (well && !told && !ends) { /* its text */
        c += strcspn(c, "<");
        c += strcspn(c, ">");
        c += *c == '>';
        w->depth--;
    }
    *at = c;
    return well;
}

static bool print_end(struct writer *w, const char **at)
{
    const char *c = *at;
    const size_t len = strcspn(c, " \t\n>");
    if (!w->depth || !is(c, len, w->open[w->depth - 1]) || c[len] != '>')
        return false;
    w->depth--;
    if (w->pending) { /* an empty group */
        free(w->pending);
        w->pending = NULL;
    } else {
        fprintf(w->file, "</%s>", w->open[w->depth]);
    }
    *at = c + len + 1;
    return true;
}

bool fb_svg_inline(FILE *file, const char *svg, const char *prefix, const char *label)
{
    struct writer w = {.file = file, .prefix = prefix, .label = label};
    const char *c = strstr(svg, "<svg");
    bool well = c;
    while (well && *c && (c[0] != '<' || w.depth || !strncmp(c, "<svg", 4))) {
        if (!strncmp(c, "<!--", 4)) {
            const char *end = strstr(c, "-->");
            well = end;
            c = end ? end + 3 : c;
        } else if (!strncmp(c, "</", 2)) {
            c += 2;
            well = print_end(&w, &c);
        } else if (*c == '<') {
            c++;
            well = print_start(&w, &c);
        } else if (w.depth && !strcmp(w.open[w.depth - 1], "g")) {
            c += strcspn(c, "<"); /* blanks */
        } else {
            const size_t len = strcspn(c, "<");
            const bool blank = strspn(c, " \t\n") >= len;
            if (!blank)
                fprintf(file, "%.*s", (int)len, c);
            c += len;
        }
        if (!w.depth && well)
            break;
    }
    free(w.pending);
    return well && !w.depth;
}
