#include "harness/document/rules.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/bits.h"
#include "filters/hash/hash.h"
#include "harness/measure/latency.h"

/* Counts are exact in it: a long double has at least 64 bits where filterbench runs on x86-64 and
 * AArch64; elsewhere counts beyond 2^53 are compared within an ulp. */
typedef long double number;

/* What names are made of. */
#define NAME "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"

/* Inside a function of lists: which element of them is at hand, and how many the longest has. */
struct level {
    bool listed;
    size_t element, n;
};

enum { LEVELS = 4 };

struct rule {
    const char *at;
    const json_t *record, *document;
    /* Of the functions that are open, the outermost first. Those before `outer` are not for the
     * lists at hand. */
    struct level levels[LEVELS];
    int outer, open;
};

static void skip_blanks(struct rule *r)
{
    r->at += strspn(r->at, " ");
}

/* Equal texts are equal numbers. */
static number text_number(const char *text, size_t len)
{
    return (number)fb_xxh64(text, len, 0);
}

/* What is not known is NaN. */
static number number_of(const json_t *value)
{
    const char *text = json_string_value(value);
    return json_is_integer(value)            ? (number)json_integer_value(value)
           : json_is_real(value)             ? (number)json_real_value(value)
           : json_is_boolean(value)          ? json_is_true(value)
           : text && !strncmp(text, "0x", 2) ? (number)strtoull(text, NULL, 16)
           : text                            ? text_number(text, strlen(text))
                                             : (number)NAN;
}

/* The element at hand of a list. */
static const json_t *element_of(struct level *level, const json_t *list)
{
    level->listed = true;
    level->n = fb_max_u64(level->n, json_array_size(list));
    return json_array_get(list, level->element);
}

/* The value at the path that begins here: inside functions of the element at hand of each list on
 * the way, unless the path says which. */
static const json_t *value_at(struct rule *r)
{
    static const char root[] = "document.";
    const bool whole = !strncmp(r->at, root, sizeof root - 1);
    const json_t *value = whole ? r->document : r->record;
    int level = r->outer;
    char name[64];
    r->at += whole ? sizeof root - 2 : 0;
    do {
        r->at += *r->at == '.';
        const size_t n = strspn(r->at, NAME);
        snprintf(name, sizeof name, "%.*s", (int)n, r->at);
        r->at += n;
        value = json_is_array(value) ? json_array_get(value, strtoul(name, NULL, 10))
                                     : json_object_get(value, name);
        while (json_is_array(value) && level < r->open &&
               !(*r->at == '.' && isdigit((unsigned char)r->at[1]))) {
            value = element_of(&r->levels[level++], value);
            r->at += !strncmp(r->at, ".*", 2) ? 2 : 0;
        }
    } while (*r->at == '.');
    return value;
}

/* A text in quotation marks; *len of its letters. */
static const char *text_at(struct rule *r, size_t *len)
{
    const char *text = r->at + 1;
    *len = strcspn(text, "'");
    r->at = text + *len + (text[*len] == '\'');
    return text;
}

/* Behind an argument of a function. */
static void next_argument(struct rule *r)
{
    r->at += strspn(r->at, ", ");
}

/* ---- Functions of one member ---- */

static number begins(struct rule *r)
{
    const char *text = json_string_value(value_at(r));
    size_t len;
    next_argument(r);
    const char *start = text_at(r, &len);
    return text ? !strncmp(text, start, len) : (number)NAN;
}

/* Days of the proleptic Gregorian calendar before the first of a month, from 1 March of year 0. */
static int days_before(int year, int month)
{
    const int months = 12 * year + month - 3, y = months / 12, m = months % 12;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5;
}

static number seconds(struct rule *r)
{
    const char *text = json_string_value(value_at(r));
    int year, month, day, hour, minute, second;
    if (!text)
        return (number)NAN;
    if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2dZ", &year, &month, &day, &hour, &minute, &second) !=
            6 ||
        month < 1 || month > 12 || day < 1 ||
        day > days_before(year, month + 1) - days_before(year, month) || hour > 23 || minute > 59 ||
        second > 60)
        return (number)INFINITY;
    const int days = days_before(year, month) - days_before(1970, 1) + day - 1;
    return ((days * 24.0L + hour) * 60 + minute) * 60 + second;
}

static number quantile(struct rule *r)
{
    struct fb_histogram histogram;
    char *end;
    const double q = strtod(r->at, &end);
    r->at = end;
    return fb_latency_read(r->record, &histogram) ? (number)fb_histogram_quantile(&histogram, q)
                                                  : (number)NAN;
}

static const struct {
    const char *name;
    number (*of)(struct rule *);
} functions[] = {{"begins", begins}, {"seconds", seconds}, {"quantile", quantile}};

/* ---- Functions of lists ---- */

static number side(struct rule *r);

static struct level *open_level(struct rule *r)
{
    assert(r->open < LEVELS);
    r->levels[r->open] = (struct level){0};
    return &r->levels[r->open++];
}

/* The second argument of within: whether x is an element of these lists, which do not go together
 * with those of the first. */
static number is_among(struct rule *r, number x)
{
    const int outer = r->outer;
    bool is = false;
    next_argument(r);
    const char *start = r->at;
    r->outer = r->open;
    struct level *level = open_level(r);
    do {
        r->at = start;
        is = side(r) == x || is;
    } while (++level->element < level->n);
    r->open--;
    r->outer = outer;
    return isnan(x) || !level->listed ? (number)NAN : is;
}

/* Whether the name that begins here is this one: no other function begins so. */
static bool is(const char *function, const char *letters)
{
    return !strncmp(function, letters, strlen(letters));
}

/* What a function is before its first element, x; NaN: there is none. */
static number start_of(const char *function, number x)
{
    return is(function, "sum") ? 0 : is(function, "rising") || is(function, "within") ? 1 : x;
}

/* What a function is of one more element, and the one before it. */
static number taken(const char *function, number result, number x, number before)
{
    return isnan(x) || isnan(result) ? (number)NAN
           : is(function, "sum")     ? result + x
           : is(function, "most")    ? fmaxl(result, x)
           : is(function, "least")   ? fminl(result, x)
           : is(function, "rising")  ? result * (x > before)
           : is(function, "within")  ? result * x
                                     : result; /* first */
}

/* "sum(counts.asked * runs.memtable)": what is in brackets, for each element of its lists. */
static number of_lists(struct rule *r, const char *function)
{
    const char *start = r->at;
    const bool within = is(function, "within");
    struct level *level = open_level(r);
    number result = start_of(function, NAN), before = -INFINITY;
    do {
        r->at = start;
        const number x = within ? is_among(r, side(r)) : side(r);
        if (level->n || (within && !level->listed))
            result = taken(function, level->element ? result : start_of(function, x), x, before);
        before = x;
    } while (++level->element < level->n);
    r->open--;
    return !level->listed && !within ? (number)NAN
           : is(function, "length")  ? (number)level->n
                                     : result;
}

/* A function's name is behind us, and its brackets begin. */
static number call(struct rule *r, const char *function, size_t n)
{
    const size_t n_functions = sizeof functions / sizeof *functions;
    size_t i = 0;
    while (i < n_functions &&
           (strlen(functions[i].name) != n || strncmp(functions[i].name, function, n) != 0))
        i++;
    const number x = i < n_functions ? functions[i].of(r) : of_lists(r, function);
    r->at += *r->at == ')';
    return x;
}

/* ---- Sides and relations ---- */

static number factor(struct rule *r)
{
    skip_blanks(r);
    const char *start = r->at;
    const size_t n = strspn(start, NAME);
    char *end;
    size_t len;
    if (*start == '(') {
        r->at++;
        const number x = side(r);
        r->at += *r->at == ')';
        return x;
    }
    if (*start == '\'') {
        const char *text = text_at(r, &len);
        return text_number(text, len);
    }
    if (isdigit((unsigned char)*start)) {
        const double x = strtod(start, &end);
        r->at = end;
        return (number)x;
    }
    if (start[n] == '(') {
        r->at += n + 1;
        return call(r, start, n);
    }
    if (r->open && n == 2 && !strncmp(start, "at", 2)) {
        r->at += n;
        return (number)r->levels[r->open - 1].element;
    }
    const json_t *value = value_at(r);
    if (*r->at != '?')
        return number_of(value);
    r->at++;
    return value && !json_is_null(value);
}

static number side(struct rule *r)
{
    number sum = 0;
    for (int sign = 1; sign;) {
        number product = factor(r);
        for (skip_blanks(r); *r->at == '*' || *r->at == '%'; skip_blanks(r)) {
            const bool times = *r->at++ == '*';
            const number x = factor(r);
            product = times ? product * x : fmodl(product, x);
        }
        sum += sign * product;
        sign = *r->at == '+' ? 1 : *r->at == '-' ? -1 : 0;
        r->at += sign != 0;
    }
    return sum;
}

/* -1: a side is not known. */
static int holds(struct rule *r)
{
    const number left = side(r);
    const char *relation = r->at;
    r->at += strspn(r->at, "<>=!");
    const number right = side(r);
    if (isnan(left) || isnan(right))
        return -1;
    const bool equal = left == right, with = relation[1] == '=';
    return *relation == '<'   ? left < right || (with && equal)
           : *relation == '>' ? left > right || (with && equal)
           : *relation == '!' ? !equal
                              : equal;
}

bool fb_rule_kept(const char *rule, const json_t *record, const json_t *document)
{
    struct rule r = {.at = rule, .record = record, .document = document};
    if (holds(&r))
        return true;
    for (skip_blanks(&r); *r.at; skip_blanks(&r)) {
        r.at += strcspn(r.at, " "); /* "if", "and" */
        if (holds(&r) != 1)
            return true;
    }
    return false;
}
