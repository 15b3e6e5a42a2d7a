#include "harness/document/versus.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/screen.h"

enum { SENTENCE = 400, SENTENCES = 6 };

/* ---- Sentences ---- */

struct said {
    const char *place; /* "": said before */
    const json_t *a;
    const char *b;
    const char *interval; /* "low" or "times_low" */
    const struct fb_quantity *quantity;
};

/* A multiple, with as many decimals as tell the ends of its interval apart, and each of the three
 * from 1. */
static void show_times(const json_t *row, double x, char out[32])
{
    const double of[] = {fb_json_num(row, "times_low"), fb_json_num(row, "times_high"),
                         fb_json_num(row, "times")};
    double unit = 100;
    int decimals = 2;
    for (bool alike = true; alike && decimals < 5; decimals += alike, unit *= 10) {
        alike = of[0] < of[1] && round(of[0] * unit) == round(of[1] * unit);
        for (int i = 0; i < 3; i++)
            alike |= of[i] != 1 && round(of[i] * unit) == unit;
    }
    snprintf(out, 32, fabs(x) < 10 ? "%.*f" : "%.*g", fabs(x) < 10 ? decimals : 3, x);
}

/* " (3.2 to 4.1)"; nothing where it is not known. */
static void interval_of(const struct said *s, char out[80])
{
    const bool times = !strncmp(s->interval, "times", 5);
    const double scale = s->quantity->scale > 0 ? s->quantity->scale : 1;
    const double low = fb_json_num(s->a, times ? "times_low" : "low");
    const double high = fb_json_num(s->a, times ? "times_high" : "high");
    char ends[2][32];
    *out = '\0';
    if (!isfinite(low) || !isfinite(high) || (low == high && (!times || s->quantity->exact)))
        return;
    for (int i = 0; i < 2; i++)
        if (times)
            show_times(s->a, i ? high : low, ends[i]);
        else
            snprintf(ends[i], sizeof *ends, "%.3g", scale * (i ? high : low));
    snprintf(out, 80, " (%s to %s)", ends[0], ends[1]);
}

static void value_of(const struct said *s, char out[80])
{
    const double scale = s->quantity->scale > 0 ? s->quantity->scale : 1;
    snprintf(out, 80, "%.3g%s", scale * fb_json_num(s->a, "value"), s->quantity->unit);
}

static void fill(const char *template, const struct said *s, char out[SENTENCE])
{
    static const char no_place[] = "{place}, ";
    char interval[80], value[80], times[32];
    const char *doing = fb_json_str(s->a, "doing");
    interval_of(s, interval);
    value_of(s, value);
    show_times(s->a, fb_json_num(s->a, "times"), times);
    const struct {
        const char *name, *text;
    } words[] = {{"{place}", s->place},
                 {"{doing}", doing},
                 {"{a}", fb_json_str(s->a, "design")},
                 {"{b}", s->b},
                 {"{v}", value},
                 {"{x}", times},
                 {"{i}", interval},
                 {"{what}", *doing ? doing : s->quantity->name}};
    const size_t n_words = sizeof words / sizeof *words;
    size_t n = 0;
    bool names; /* it begins with the name of a design, which has no capital */
    if (!*s->place && !strncmp(template, no_place, sizeof no_place - 1))
        template += sizeof no_place - 1;
    names = !strncmp(template, "{a}", 3);
    *out = '\0';
    while (*template && n + 1 < SENTENCE) {
        size_t w = 0;
        while (w < n_words && strncmp(template, words[w].name, strlen(words[w].name)) != 0)
            w++;
        n += (size_t)snprintf(out + n, SENTENCE - n, "%.*s", w < n_words ? SENTENCE : 1,
                              w < n_words ? words[w].text : template);
        template += w < n_words ? strlen(words[w].name) : 1;
    }
    if (*s->place || !names)
        *out = (char)toupper((unsigned char)*out);
}

/* Whether the interval of a row's ratio excludes 1; *known: there is one. */
static bool differs(const json_t *row, bool *known)
{
    const double low = fb_json_num(row, "times_low"), high = fb_json_num(row, "times_high");
    *known = isfinite(low) && isfinite(high);
    return *known && (low > 1 || high < 1);
}

/* ---- The table ---- */

static void show_ratio(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const double x = fb_json_num(row, c->path);
    if (isfinite(x))
        show_times(row, x, out);
}

static void show_ends(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    char low[32], high[32];
    (void)c;
    if (!isfinite(fb_json_num(row, "times_low")) || json_object_get(row, "exact"))
        return;
    show_times(row, fb_json_num(row, "times_low"), low);
    show_times(row, fb_json_num(row, "times_high"), high);
    snprintf(out, FB_TABLE_CELL, "%s .. %s", low, high);
}

static void show_verdict(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    bool known;
    (void)c;
    if (!json_object_get(row, "to"))
        return;
    if (differs(row, &known))
        strcpy(out, fb_json_num(row, "times") > 1 ? "more" : "less");
    else
        strcpy(out, !known                          ? "no interval"
                    : json_object_get(row, "exact") ? "the same"
                                                    : "cannot tell");
}

static const struct fb_column columns[] = {
    {"design", "design", .left = true},
    {"variant", "label", .left = true, .optional = true, .spare = 2},
    {"value", "shown", .format = "%.4g"},
    {"times", "times", .show = show_ratio},
    {"95 %", "times_low", .show = show_ends, .left = true, .spare = 1},
    {"verdict", "to", .show = show_verdict, .left = true},
    {0},
};

void fb_versus_table(FILE *file, const json_t *document, const json_t *rows, const char *design,
                     enum fb_table_style style)
{
    struct fb_table table = {.columns = columns};
    const json_t *before = NULL;
    size_t said = 0;
    bool estimated = false;
    FB_EACH_AT(i, row, rows) {
        bool known;
        const struct fb_quantity *quantity = fb_versus_quantity(document, row);
        const bool again =
            before && !strcmp(fb_json_str(before, "place"), fb_json_str(row, "place"));
        const struct said s = {"", row, design, "times_low", quantity};
        char sentence[SENTENCE];
        if (!json_object_get(row, "to") || json_is_true(json_object_get(row, "apart")) ||
            said >= SENTENCES ||
            fb_versus_least(rows, row, fb_json_str(row, "design")) != (int32_t)i)
            continue; /* of variants of a design the best speaks for it */
        before = row;
        snprintf(sentence, sizeof sentence, "%s", fb_json_str(row, "place"));
        *sentence = (char)toupper((unsigned char)*sentence);
        if (!again)
            fb_say(file, 2, "%s:\n", sentence);
        fill(differs(row, &known) || !known ? quantity->times
             : quantity->exact              ? "{place}, {a} and {b} are the same in {what}."
                               : "{place}, cannot tell {a} from {b} in {what}: {x} times{i}.",
             &s, sentence);
        fb_say(file, 4, "  %s\n", sentence);
        said++;
    }
    fputs(said ? "\n" : "", file);
    before = NULL;
    FB_EACH(row, rows) {
        const struct fb_quantity *quantity = fb_versus_quantity(document, row);
        const double scale = quantity->scale > 0 ? quantity->scale : 1;
        const char *doing = fb_json_str(row, "doing");
        char heading[SENTENCE];
        if (fb_versus_least(rows, row, design) < 0)
            continue;
        snprintf(heading, sizeof heading, "%s%s%s: %s", fb_json_str(row, "place"),
                 *doing ? ", " : "", doing, quantity->name);
        if (!before || !fb_versus_beside(before, row))
            fb_table_heading(&table, heading);
        before = row;
        json_auto_t *shown = json_copy(row);
        json_object_set_new(shown, "shown", json_real(scale * fb_json_num(row, "value")));
        if (quantity->exact)
            json_object_set_new(shown, "exact", json_true());
        estimated |= !quantity->exact;
        fb_table_row(&table, fb_versus_is_of(row, design) ? "> " : "  ", shown);
    }
    fb_table_finish(&table, file, style);
    fputc('\n', file);
    fb_say_aside(file, 0, "times: the value as a multiple of %s's (>)%s.\n", design,
                 estimated ? ", with its 95 % interval" : ", an exact number");
}

/* ---- The card ---- */

/* Among rows of that quantity against the best's design: how many places it and another are in, and
 * in how many of them another is better beyond the noise; *other: the best of those. */
static size_t count_places(const json_t *rows, uint64_t quantity, size_t *beaten,
                           const json_t **other)
{
    const json_t *place = NULL, *counted = NULL;
    size_t n = 0;
    *beaten = 0;
    *other = NULL;
    FB_EACH(row, rows) {
        if (!json_object_get(row, "to") || json_is_true(json_object_get(row, "apart")) ||
            fb_json_uint(row, "quantity") != quantity)
            continue;
        n += !place || !fb_versus_beside(place, row);
        place = row;
        if (!(fb_json_num(row, "times_high") < 1))
            continue;
        *beaten += !counted || !fb_versus_beside(counted, row);
        counted = row;
        if (!*other || fb_json_num(row, "times") < fb_json_num(*other, "times"))
            *other = row;
    }
    return n;
}

/* Of those beside a row that are multiples of it the least, or the most; NULL: there is none. Of
 * variants of a design the best speaks for it. */
static const json_t *extreme(const json_t *rows, const json_t *like, bool most)
{
    const json_t *found = NULL;
    for (size_t i = fb_versus_first(like); i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const double times = fb_json_num(row, "times");
        if (!fb_versus_beside(row, like))
            break;
        if (!json_object_get(row, "to") || json_is_true(json_object_get(row, "apart")))
            continue;
        const double best = found ? fb_json_num(found, "times") : NAN;
        if ((!found || isnan(best) || (most ? times > best : times < best)) &&
            fb_versus_least(rows, row, fb_json_str(row, "design")) == (int32_t)i)
            found = row;
    }
    return found;
}

static void say_change(const json_t *rows, const json_t *best, struct fb_card *card)
{
    const json_t *other;
    size_t beaten;
    const size_t n = count_places(rows, fb_json_uint(best, "quantity"), &beaten, &other);
    const char *doing = fb_json_str(other, "doing");
    if (other)
        fb_card_set(card, FB_CARD_CHANGE, "It is beaten in %zu of %zu tables{: by %s %s%s%s}.",
                    beaten, n, fb_json_str(other, "design"), fb_json_str(other, "place"),
                    *doing ? ", " : "", doing);
    if (!other && n > 1)
        fb_card_set(card, FB_CARD_CHANGE, "No filter is better than %s in any of %zu tables.",
                    fb_json_str(best, "design"), n);
    if (!other && n < 2)
        fb_card_set(card, FB_CARD_CHANGE,
                    "This is one case. Other sizes or other keys may give another order.");
}

/* Of those that may be the best, how many are beside `best`, and how many of them cannot be told
 * from it; *first: the first of these. */
static size_t count_alike(const json_t *rows, const json_t *best, size_t *alike, size_t *unknown,
                          const char **first)
{
    size_t n = 0;
    *alike = *unknown = 0;
    FB_EACH(row, rows) {
        bool known;
        if (!json_object_get(row, "to") || json_is_true(json_object_get(row, "apart")) ||
            !fb_versus_beside(row, best))
            continue;
        const bool apart = differs(row, &known);
        n++;
        if (known && !apart && !(*alike)++)
            *first = fb_json_str(row, "design");
        *unknown += !known;
    }
    return n;
}

static void say_sure(const json_t *rows, const json_t *best, bool exact, struct fb_card *card)
{
    const char *first = "";
    size_t alike, unknown;
    const size_t n = count_alike(rows, best, &alike, &unknown, &first);
    if (unknown)
        fb_card_set(card, FB_CARD_SURE,
                    "Too little was measured for an interval: %zu of %zu ratios have none.",
                    unknown, n);
    else if (exact && alike)
        fb_card_set(card, FB_CARD_SURE,
                    "Sure: the numbers are exact. %zu of %zu others have the same.", alike, n);
    else if (exact)
        fb_card_set(card, FB_CARD_SURE,
                    "Sure: the numbers are exact. The same build gives them again.");
    else if (alike == 1)
        fb_card_set(card, FB_CARD_SURE, "Cannot tell it from %s: the 95 %% interval contains 1.",
                    first);
    else if (alike)
        fb_card_set(card, FB_CARD_SURE,
                    "Cannot tell it from %zu of %zu others: their 95 %% intervals contain 1.",
                    alike, n);
    else
        fb_card_set(card, FB_CARD_SURE, "Sure: the whole 95 %% interval lies above 1%s.",
                    n > 1 ? " for every other filter" : "");
}

static void say_amount(const json_t *document, const json_t *rows, const json_t *best,
                       const json_t *second, struct fb_card *card)
{
    const char *name = fb_json_str(best, "design");
    const json_t *last = extreme(rows, best, true);
    struct said s = {"", second, name, "times_low", fb_versus_quantity(document, best)};
    char sentence[SENTENCE], interval[80], times[32];
    fill(s.quantity->second, &s, sentence);
    s.a = last;
    interval_of(&s, interval);
    show_times(last, fb_json_num(last, "times"), times);
    if (!isfinite(fb_json_num(second, "times"))) /* of 0 */
        return;
    if (last == second)
        fb_card_set(card, FB_CARD_AMOUNT, "%s.", sentence);
    else
        fb_card_set(card, FB_CARD_AMOUNT, "%s{, %s %s%s}.", sentence, fb_json_str(last, "design"),
                    times, interval);
}

/* The first row of a place where one may be the best. */
static const json_t *first_of(const json_t *rows)
{
    size_t i = 0;
    while (json_is_true(json_object_get(json_array_get(rows, i), "apart")))
        i++;
    return json_array_get(rows, i);
}

const json_t *fb_versus_spoken(const json_t *document)
{
    json_auto_t *rows = fb_versus_arranged(document);
    const size_t at = (size_t)fb_json_uint(first_of(rows), "cell");
    return json_array_get(json_object_get(document, "cells"), at);
}

void fb_versus_card(const json_t *document, const char *path, struct fb_card *card)
{
    enum { TRIES = 4 };
    json_auto_t *all = fb_versus_arranged(document), *rows = NULL;
    const json_t *first = first_of(all), *second = NULL;
    int32_t at = first ? fb_versus_least(all, first, NULL) : -1;
    const json_t *best = at < 0 ? NULL : json_array_get(all, (size_t)at);
    /* Times that are paired may say that another is faster than the one of the least median. */
    for (int i = 0; best && i < TRIES; i++) {
        json_decref(rows);
        rows = fb_versus_rows(document, fb_json_str(best, "design"));
        second = extreme(rows, best, false);
        if (i + 1 == TRIES || !(fb_json_num(second, "times") < 1))
            break;
        at = fb_versus_least(all, first, fb_json_str(second, "design"));
        best = json_array_get(all, (size_t)at);
    }
    const char *name = fb_json_str(best, "design");
    struct said s = {fb_json_str(best, "place"), best, name, "low", NULL};
    char sentence[SENTENCE], option[80] = "", quoted[FB_CARD_TEXT];
    if (best) {
        s.quantity = fb_versus_quantity(document, best);
        fill(second ? s.quantity->least : s.quantity->is, &s, sentence);
        fb_card_set(card, FB_CARD_ANSWER, "%s", sentence);
    }
    if (second) {
        say_amount(document, rows, best, second, card);
        say_sure(rows, best, s.quantity->exact, card);
        say_change(rows, best, card);
        snprintf(option, sizeof option, " --versus %.64s", fb_card_quoted(name, quoted));
    }
    if (best)
        fb_card_next(card, path, second ? "show" : "plot", option);
}
