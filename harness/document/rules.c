#include "harness/document/rules.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/bits.h"
#include "filters/hash/hash.h"

/* Counts are exact in it: a long double has at least 64 bits where filterbench runs on x86-64 and
 * AArch64; elsewhere counts beyond 2^53 are compared within an ulp. */
typedef long double number;

/* What names are made of. */
#define NAME "abcdefghijklmnopqrstuvwxyz_0123456789"

struct rule {
    const char *at;
    const json_t *record, *document;
    /* Inside a function: which element of its lists is at hand, and how many the longest has. */
    bool inside, listed;
    size_t element, n;
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

/* The value at the path that begins here: inside a function of the element at hand of each list on
 * the way. */
static const json_t *value_at(struct rule *r)
{
    static const char root[] = "document.";
    const bool whole = !strncmp(r->at, root, sizeof root - 1);
    const json_t *value = whole ? r->document : r->record;
    char name[64];
    r->at += whole ? sizeof root - 2 : 0;
    do {
        r->at += *r->at == '.';
        const size_t n = strspn(r->at, NAME);
        snprintf(name, sizeof name, "%.*s", (int)n, r->at);
        r->at += n;
        value = json_object_get(value, name);
        if (r->inside && json_is_array(value)) {
            r->listed = true;
            r->n = fb_max_u64(r->n, json_array_size(value));
            value = json_array_get(value, r->element);
        }
    } while (*r->at == '.');
    return value;
}

/* One more element of what a function is of. */
static number taken(const char *function, number result, number x, bool first)
{
    return isnan(x) || isnan(result) ? (number)NAN
           : *function == 's'        ? result + x /* sum */
           : first                   ? x
           : *function == 'm'        ? fmaxl(result, x) /* most */
           : *function == 'l'        ? fminl(result, x) /* least */
                                     : result;                 /* first */
}

static number side(struct rule *r);

/* "sum(counts.asked * runs.memtable)": what is in brackets, for each element of its lists. */
static number of_lists(struct rule *r, const char *function)
{
    const char *start = r->at;
    number result = *function == 's' ? 0 : (number)NAN;
    r->inside = true;
    r->listed = false;
    r->n = 0;
    for (r->element = 0; !r->element || r->element < r->n; r->element++) {
        r->at = start;
        const number x = side(r);
        if (r->n)
            result = taken(function, r->element ? result : 0, x, !r->element);
    }
    r->inside = false;
    r->at += *r->at == ')';
    return !r->listed ? (number)NAN : !strncmp(function, "length", 6) ? (number)r->n : result;
}

static number factor(struct rule *r)
{
    skip_blanks(r);
    const char *start = r->at;
    const size_t n = strspn(start, NAME);
    char *end;
    if (*start == '(') {
        r->at++;
        const number x = side(r);
        r->at += *r->at == ')';
        return x;
    }
    if (*start == '\'') {
        const size_t len = strcspn(start + 1, "'");
        r->at += len + 1 + (start[len + 1] == '\'');
        return text_number(start + 1, len);
    }
    if (isdigit((unsigned char)*start)) {
        const double x = strtod(start, &end);
        r->at = end;
        return (number)x;
    }
    if (start[n] == '(') {
        r->at += n + 1;
        return of_lists(r, start);
    }
    if (r->inside && n == 2 && !strncmp(start, "at", 2)) {
        r->at += n;
        return (number)r->element;
    }
    const json_t *value = value_at(r);
    if (*r->at != '?')
        return number_of(value);
    r->at++;
    return !isnan(number_of(value));
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
