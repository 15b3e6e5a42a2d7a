#include "harness/kind/claims/ledger.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const fb_relation_texts[] = {"=", "<=", ">=", "<", ">", NULL};
const char *const fb_whose_texts[] = {"printed", "words", "ours", NULL};

/* Position of a word in a list that ends with NULL; that of the NULL if it is not there. */
static int position(const char *const *words, const char *word)
{
    int i = 0;
    while (words[i] && strcmp(words[i], word))
        i++;
    return i;
}

/* ---- Digits ---- */

/* Unit of the last digit that is meant of a whole number, written in digits alone. */
static double whole_unit(const char *digits)
{
    enum { LEAST = 2 };
    digits += strspn(digits, "+-0");
    double unit = 1;
    for (size_t n = strlen(digits); n > LEAST && digits[n - 1] == '0'; n--)
        unit *= 10;
    return unit;
}

bool fb_printed_number(const char *printed, double *value, double *half)
{
    char digits[64];
    size_t n = 0;
    for (const char *p = printed; *p; p++)
        if (*p != ',' && n + 1 < sizeof digits)
            digits[n++] = *p;
    digits[n] = 0;
    char *end;
    bool hex = !strncmp(digits, "0x", 2);
    *value = hex ? (double)strtoull(digits, &end, 16) : strtod(digits, &end);
    *half = hex ? 0 : 0.5;
    if (end == digits || *end || !isfinite(*value))
        return false;
    if (hex)
        return true;
    const char *exponent = strpbrk(digits, "eE"), *point = strchr(digits, '.');
    if (!exponent && !point)
        *half *= whole_unit(digits);
    if (point)
        for (const char *p = point + 1; *p >= '0' && *p <= '9'; p++)
            *half /= 10;
    for (int e = exponent ? atoi(exponent + 1) : 0; e; e += e < 0 ? 1 : -1)
        *half = e < 0 ? *half / 10 : *half * 10;
    return true;
}

/* ---- A row's member ---- */

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* Value i of a number, or of an array of them. */
static const json_t *item(const json_t *value, size_t i)
{
    return json_is_array(value) ? json_array_get(value, i) : i ? NULL : value;
}

/* The values, and in half[] what their digits give; NaN where none are printed. */
static const char *read_values(const json_t *claimed, struct fb_claimed *out, double *half)
{
    const json_t *value = json_object_get(claimed, "value"),
                 *printed = json_object_get(claimed, "printed");
    for (size_t i = 0; json_is_number(item(value, i)); i++) {
        if (i == FB_CLAIM_VALUES)
            return "too many values";
        out->value[i] = json_number_value(item(value, i));
        const char *digits = json_string_value(item(printed, i));
        double number = NAN;
        half[i] = NAN;
        if (digits && (!fb_printed_number(digits, &number, &half[i]) ||
                       fabs(number - out->value[i]) > 1e-12 * fabs(number)))
            return "the printed digits and the value differ";
        out->n = i + 1;
    }
    return NULL;
}

/* The rule of tolerances (docs/explanation/verdicts-on-claims.md): a member that is true, how far a
 * value may be off, in its unit and as a share of it, and what the row need not say. */
static const struct rule {
    const char *name;
    double off, share;
    const char *whose, *why; /* NULL: nothing to say */
} rules[] = {
    {"exact", 0, 0, NULL, NULL},
    {"whole", 0.5, 0, NULL, "a whole count"},
    {"same", 0, 0.05, "ours", "the same: within 5 %"},
    {"counted", 0, 0.03, "ours", "a sample of a size that is not told: within 3 %"},
    {"about", 0.05, 0.25, NULL, "about"}, /* off: no nearer than "same" */
    {"times", NAN, 1.25, "ours", "another machine: a factor of 1.25 either way"},
};
enum { COUNTED = 3, ABOUT, TIMES, N_RULES };

/* The first rule that a tolerance names; N_RULES: none. *n: how many it names. */
static size_t rule_of(const json_t *tolerance, size_t *n)
{
    size_t rule = N_RULES;
    *n = 0;
    for (size_t i = N_RULES; i-- > 0;)
        if (json_is_true(json_object_get(tolerance, rules[i].name))) {
            rule = i;
            ++*n;
        }
    return rule;
}

/* The limits of a value by a rule, where the digits give this half. */
static void set_limits(size_t rule, double x, double half, double *low, double *high)
{
    double off = half;
    if (rule == ABOUT) /* a zero at the end is not meant */
        off = fmin(fmax(half >= 0.5 && fmod(fabs(x), 20 * half) == 0 ? 20 * half : 2 * half,
                        rules[rule].off * fabs(x)),
                   rules[rule].share * fabs(x));
    else if (rule < N_RULES)
        off = fmax(rules[rule].off + rules[rule].share * fabs(x), rule == COUNTED ? half : 0);
    *low = rule == TIMES ? x / rules[rule].share : x - off;
    *high = rule == TIMES ? x * rules[rule].share : x + off;
}

/* half[]: what the digits give. */
static const char *read_limits(const json_t *tolerance, struct fb_claimed *out, const double *half)
{
    const json_t *low = json_object_get(tolerance, "low"),
                 *high = json_object_get(tolerance, "high"),
                 *given = json_object_get(tolerance, "half");
    const bool limits = json_is_number(low) && json_is_number(high);
    size_t named;
    const size_t rule = rule_of(tolerance, &named);
    if (named + limits + json_is_number(given) > 1)
        return "tolerance: one rule, or half, or low with high";
    for (size_t i = 0; i < out->n; i++) {
        set_limits(rule, out->value[i], given ? json_number_value(given) : half[i], &out->low[i],
                   &out->high[i]);
        out->low[i] = limits ? json_number_value(low) : out->low[i];
        out->high[i] = limits ? json_number_value(high) : out->high[i];
        if (isnan(out->low[i]))
            return "nothing says how near a measurement must come: printed digits or a tolerance";
        if (out->low[i] > out->value[i] || out->high[i] < out->value[i])
            return "tolerance: the value is not within its limits";
    }
    return NULL;
}

static const char *read_bound(const json_t *tolerance, struct fb_claimed *out)
{
    bool least = out->relation == FB_AT_LEAST || out->relation == FB_ABOVE;
    for (size_t i = 0; i < out->n; i++) {
        out->low[i] = least ? out->value[i] : -INFINITY;
        out->high[i] = least ? INFINITY : out->value[i];
    }
    size_t named;
    rule_of(tolerance, &named);
    if (named || json_object_get(tolerance, "half") || json_object_get(tolerance, "low"))
        return "tolerance: a bound has no width";
    return NULL;
}

const char *fb_claimed_read(const json_t *claimed, struct fb_claimed *out)
{
    const char *relation = text_of(claimed, "relation");
    const json_t *tolerance = json_object_get(claimed, "tolerance");
    const char *whose = text_of(tolerance, "whose");
    double half[FB_CLAIM_VALUES];
    *out = (struct fb_claimed){.unit = text_of(claimed, "unit"), .text = text_of(claimed, "text")};
    if (!json_object_get(claimed, "value") || !out->unit || !relation)
        return "claimed needs value, unit and relation";
    out->relation = (enum fb_relation)position(fb_relation_texts, relation);
    if (!fb_relation_texts[out->relation])
        return "relation must be =, <=, >=, < or >";
    const char *wrong = read_values(claimed, out, half);
    size_t named;
    const size_t rule = rule_of(tolerance, &named);
    if (wrong || !out->n)
        return wrong;
    if (!whose && rule < N_RULES)
        whose = rules[rule].whose;
    if (!whose && !json_object_get(claimed, "printed"))
        return "nothing is printed: tolerance must say whose it is";
    out->whose = (enum fb_whose)position(fb_whose_texts, whose ? whose : "printed");
    out->why = text_of(tolerance, "why");
    if (!out->why && rule < N_RULES)
        out->why = rules[rule].why;
    if (!fb_whose_texts[out->whose])
        return "tolerance: whose must be printed, words or ours";
    return out->relation == FB_EQUAL ? read_limits(tolerance, out, half)
                                     : read_bound(tolerance, out);
}

/* ---- Standing ---- */

enum fb_standing fb_claimed_stands(const struct fb_claimed *claimed, size_t i, double low,
                                   double high)
{
    /* Limits are decimal fractions in binary: a measurement of the same digits is on them. */
    const double slack = 1e-12 * fabs(claimed->value[i]);
    const double least = claimed->low[i] - slack, most = claimed->high[i] + slack;
    switch (claimed->relation) {
    case FB_BELOW:
        return high < claimed->high[i]   ? FB_WITHIN
               : low >= claimed->high[i] ? FB_OUTSIDE
                                         : FB_BETWEEN;
    case FB_ABOVE:
        return low > claimed->low[i]     ? FB_WITHIN
               : high <= claimed->low[i] ? FB_OUTSIDE
                                         : FB_BETWEEN;
    default:
        return low >= least && high <= most ? FB_WITHIN
               : low > most || high < least ? FB_OUTSIDE
                                            : FB_BETWEEN;
    }
}

enum fb_standing fb_claimed_stand(const struct fb_claimed *claimed, const double *low,
                                  const double *high)
{
    enum fb_standing all = FB_WITHIN;
    for (size_t i = 0; i < claimed->n; i++) {
        enum fb_standing one = fb_claimed_stands(claimed, i, low[i], high[i]);
        if (one == FB_OUTSIDE)
            return FB_OUTSIDE;
        all = one == FB_BETWEEN ? one : all;
    }
    return all;
}
