#include "harness/document/rules.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"

/* Counts are exact in it: a long double has at least 64 bits where filterbench runs on x86-64 and
 * AArch64; elsewhere counts beyond 2^53 are compared within an ulp. */
typedef long double number;

struct rule {
    const char *at;
    const json_t *record, *document;
    double missing;
};

static void skip_blanks(struct rule *r)
{
    r->at += strspn(r->at, " ");
}

static number number_of(const json_t *value, double missing)
{
    const char *text = json_string_value(value);
    return json_is_integer(value)            ? (number)json_integer_value(value)
           : json_is_real(value)             ? (number)json_real_value(value)
           : json_is_boolean(value)          ? json_is_true(value)
           : text && !strncmp(text, "0x", 2) ? (number)strtoull(text, NULL, 16)
                                             : (number)missing;
}

/* A member of that name, dots and all, or the one at that path. */
static const json_t *member_of(const struct rule *r, const char *name)
{
    static const char root[] = "document.";
    if (!strncmp(name, root, sizeof root - 1))
        return fb_json_at(r->document, name + sizeof root - 1);
    const json_t *member = json_object_get(r->record, name);
    return member ? member : fb_json_at(r->record, name);
}

/* One more element of what a function is of. */
static number taken(const char *function, number result, number x, bool first)
{
    return isnan(x) || isnan(result)   ? (number)NAN
           : !strcmp(function, "sum")  ? result + x
           : first                     ? x
           : !strcmp(function, "most") ? (x > result ? x : result)
                                       : (x < result ? x : result);
}

/* Of a list of numbers; or "cells.n", of such a member of each element. */
static number of_list(const struct rule *r, const char *function, const char *name)
{
    const char *dot = strchr(name, '.');
    const json_t *list = member_of(r, name);
    char outer[100] = "";
    if (!list && dot) {
        snprintf(outer, sizeof outer, "%.*s", (int)(dot - name), name);
        list = member_of(r, outer);
    }
    number result = strcmp(function, "sum") != 0 ? (number)r->missing : 0;
    if (!json_is_array(list) || !strcmp(function, "length"))
        return json_is_array(list) ? (number)json_array_size(list) : (number)r->missing;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *x = json_array_get(list, i);
        result = taken(function, i ? result : 0,
                       number_of(*outer ? fb_json_at(x, dot + 1) : x, r->missing), !i);
    }
    return result;
}

static number term(struct rule *r)
{
    char name[100] = "", inner[100] = "";
    int used = 0;
    skip_blanks(r);
    if (isdigit((unsigned char)*r->at)) {
        char *end;
        const double x = strtod(r->at, &end);
        r->at = end;
        return (number)x;
    }
    sscanf(r->at, "%99[A-Za-z0-9_.]%n", name, &used);
    r->at += used;
    if (*r->at != '(')
        return number_of(member_of(r, name), r->missing);
    used = 0;
    sscanf(r->at, "(%99[A-Za-z0-9_.])%n", inner, &used);
    r->at += used ? (size_t)used : strlen(r->at);
    return of_list(r, name, inner);
}

static number side(struct rule *r)
{
    number sum = 0;
    for (int sign = 1; sign;) {
        number product = term(r);
        for (skip_blanks(r); *r->at == '*'; skip_blanks(r)) {
            r->at++;
            product *= term(r);
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

bool fb_rule_kept(const char *rule, const json_t *record, const json_t *document, double missing)
{
    struct rule r = {rule, record, document, missing};
    const int main_part = holds(&r);
    if (main_part)
        return true;
    const char *condition = strstr(r.at, "if ");
    r.at = condition ? condition + strlen("if ") : "";
    return condition && holds(&r) != 1;
}
