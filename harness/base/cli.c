#include "harness/base/cli.h"

#include <ctype.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* What was printed before stands before it. */
static void say(const char *prefix, const char *format, va_list args)
{
    char line[1024];
    fflush(stdout);
    vsnprintf(line, sizeof line, format, args);
    for (char *c = line; *c; c++)
        if (iscntrl((unsigned char)*c))
            *c = '?';
    fprintf(stderr, "filterbench: %s%s\n", prefix, line);
}

void fb_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("", format, args);
    va_end(args);
}

void fb_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("note: ", format, args);
    va_end(args);
}

enum fb_exit fb_cli_fail(const char *what, enum fb_err err, const char *why)
{
    if (err == FB_OK)
        return FB_EXIT_OK;
    fb_error("%s: %s", what, why ? why : fb_err_text(err));
    return err == FB_EIO ? FB_EXIT_IO : FB_EXIT_USAGE;
}

/* ---- The nearest name ---- */

enum { NAME_MAX_LEN = 63 };

static unsigned min_of(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b. */
static unsigned edit_distance(const char *a, const char *b)
{
    size_t n_a = strlen(a), n_b = strlen(b);
    unsigned rows[3][NAME_MAX_LEN + 1];
    if (n_a > NAME_MAX_LEN || n_b > NAME_MAX_LEN)
        return NAME_MAX_LEN;
    unsigned *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= n_b; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= n_a; i++) {
        unsigned *oldest = before;
        before = above;
        above = row;
        row = oldest;
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= n_b; j++) {
            row[j] =
                min_of(above[j - 1] + (a[i - 1] != b[j - 1]), min_of(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = min_of(row[j], before[j - 2] + 1);
        }
    }
    return row[n_b];
}

/* NULL where none is near: farther than half the letters given. */
static const char *nearest(const char *given, const char *const *candidates)
{
    const char *found = NULL;
    unsigned best = (unsigned)strlen(given) / 2 + 2;
    for (; *candidates; candidates++) {
        unsigned distance = edit_distance(given, *candidates);
        size_t head = strcspn(given, ":");
        if (strlen(given) > 1 && strstr(*candidates, given))
            distance = 1; /* a part of a longer name */
        if (given[head] && !strncmp(given, *candidates, head + 1))
            distance = 0; /* another parameter: "zipf:x" for "zipf:THETA" */
        if (distance < best) {
            best = distance;
            found = *candidates;
        }
    }
    return found;
}

const char *fb_did_you_mean(const char *given, const char *const *candidates)
{
    static char text[NAME_MAX_LEN + 32];
    const char *name = nearest(given, candidates);
    snprintf(text, sizeof text, name ? ", did you mean '%s'?" : "%s", name ? name : "");
    return text;
}

enum { NAMES_MAX = 256 };

const struct fb_design *fb_cli_design(const char *name)
{
    const struct fb_design *design = fb_design_find(name);
    if (design)
        return design;
    const char *names[NAMES_MAX + 1] = {0};
    for (size_t i = 0; i < fb_n_designs() && i < NAMES_MAX; i++)
        names[i] = fb_design_at(i)->name;
    fb_error("--design: no design '%s'%s ('filterbench list designs' names them all)", name,
             fb_did_you_mean(name, names));
    return NULL;
}

const struct fb_hash *fb_cli_hash(const char *name)
{
    const struct fb_hash *hash = fb_hash_find(name);
    if (hash)
        return hash;
    const char *names[NAMES_MAX + 1] = {0};
    for (size_t i = 0; i < fb_n_hashes() && i < NAMES_MAX; i++)
        names[i] = fb_hash_at(i)->name;
    fb_error("--hash: no hash '%s'%s ('filterbench list hashes' names them all)", name,
             fb_did_you_mean(name, names));
    return NULL;
}

bool fb_cli_format(const char *text, enum fb_cli_format *out)
{
    static const char *const names[] = {"table", "json", NULL};
    for (int i = 0; names[i]; i++) {
        if (!strcmp(text, names[i])) {
            *out = (enum fb_cli_format)i;
            return true;
        }
    }
    fb_error("--format: '%s' is neither table nor json%s", text, fb_did_you_mean(text, names));
    return false;
}

/* ---- Options ---- */

enum { OPTIONS_MAX = 48, LONG_VALUE = 256 }; /* getopt's val of option i: LONG_VALUE + i */

static void unknown_option(const char *given, const struct option *options)
{
    char name[NAME_MAX_LEN + 1];
    const char *names[OPTIONS_MAX + 1] = {0};
    snprintf(name, sizeof name, "%.*s", (int)strcspn(given, "="), given);
    for (size_t i = 0; options[i].name; i++)
        names[i] = options[i].name;
    const char *near = nearest(name + strspn(name, "-"), names);
    if (near)
        fb_error("%s: no such option, did you mean '--%s'?", name, near);
    else
        fb_error("%s: no such option (--help lists them)", name);
}

static bool take_text(struct fb_texts *texts, const char *option)
{
    if (texts->n == sizeof texts->at / sizeof *texts->at) {
        fb_error("%s: given more than %zu times", option, texts->n);
        return false;
    }
    texts->at[texts->n++] = optarg;
    return true;
}

static bool take_option(const struct fb_opt *opt)
{
    char option[NAME_MAX_LEN];
    snprintf(option, sizeof option, "--%s", opt->name);
    switch (opt->kind) {
    case FB_OPT_TEXT:
        *(const char **)opt->out = optarg;
        return true;
    case FB_OPT_TEXTS:
        return take_text(opt->out, option);
    case FB_OPT_FLAG:
        *(bool *)opt->out = true;
        return true;
    case FB_OPT_COUNT:
        return fb_cli_count(option, optarg, (uint64_t)opt->low, (uint64_t)opt->high, opt->out);
    case FB_OPT_DOUBLE:
        return fb_cli_double(option, optarg, opt->low, opt->high, opt->out);
    case FB_OPT_FORMAT:
        return fb_cli_format(optarg, opt->out);
    case FB_OPT_DESIGN:
        return (*(const struct fb_design **)opt->out = fb_cli_design(optarg));
    case FB_OPT_HASH:
        return (*(const struct fb_hash **)opt->out = fb_cli_hash(optarg));
    }
    return false;
}

bool fb_cli_parse(int argc, char **argv, const struct fb_opt *opts, int max_operands)
{
    struct option options[OPTIONS_MAX + 1] = {{0}};
    char letters[2 * OPTIONS_MAX + 2] = ":"; /* a missing value is told from an unknown option */
    size_t n_letters = 1, n = 0;
    for (; opts[n].name && n < OPTIONS_MAX; n++) {
        int has_value = opts[n].kind == FB_OPT_FLAG ? no_argument : required_argument;
        options[n] = (struct option){opts[n].name, has_value, NULL, LONG_VALUE + (int)n};
        if (opts[n].letter)
            letters[n_letters++] = opts[n].letter;
        if (opts[n].letter && has_value)
            letters[n_letters++] = ':';
    }
    opterr = 0;
    for (int val; (val = getopt_long(argc, argv, letters, options, NULL)) != -1;) {
        size_t i = 0; /* the option meant; n: none */
        int code = val == '?' || val == ':' ? optopt : val;
        while (i < n && code != LONG_VALUE + (int)i && (!code || code != opts[i].letter))
            i++;
        if (i < n && val == ':')
            fb_error("--%s: needs a value", opts[i].name);
        else if (i < n && val == '?')
            fb_error("--%s: takes no value", opts[i].name);
        else if (i < n && take_option(&opts[i]))
            continue;
        else if (i == n && code)
            fb_error("-%c: no such option (--help lists them)", code);
        else if (i == n)
            unknown_option(argv[optind - 1], options);
        return false;
    }
    if (argc - optind <= max_operands)
        return true;
    fb_error("%s: unexpected operand '%s' (--help tells what it takes)", argv[0],
             argv[optind + max_operands]);
    return false;
}

bool fb_cli_required(const char *option, const void *value)
{
    if (!value)
        fb_error("%s: missing (--help tells what it takes)", option);
    return value;
}

/* ---- Numbers ---- */

/* Decimal, whole text, finite. strtod alone would take "nan", "0x1p3" and " 1". */
static bool parse_decimal(const char *text, double *out)
{
    char *end;
    if (!*text || strspn(text, "0123456789.eE+-") != strlen(text) || *text == '+')
        return false;
    *out = strtod(text, &end);
    return end != text && !*end && isfinite(*out);
}

bool fb_cli_double(const char *option, const char *text, double low, double high, double *out)
{
    double x;
    if (parse_decimal(text, &x) && x >= low && x <= high) {
        *out = x;
        return true;
    }
    fb_error("%s: '%s' is not a number from %.12g to %.12g", option, text, low, high);
    return false;
}

bool fb_cli_count(const char *option, const char *text, uint64_t low, uint64_t high, uint64_t *out)
{
    uint64_t count = 0;
    bool ok = *text;
    for (const char *c = text; ok && *c; c++) {
        unsigned digit = (unsigned)*c - '0';
        ok = digit <= 9 && count <= (UINT64_MAX - digit) / 10;
        count = count * 10 + digit;
    }
    double x;
    if (!ok && parse_decimal(text, &x) && x >= 0 && x <= 0x1p53 && x == floor(x)) {
        ok = true;
        count = (uint64_t)x;
    }
    if (ok && count >= low && count <= high) {
        *out = count;
        return true;
    }
    fb_error("%s: '%s' is not a whole number from %llu to %llu", option, text,
             (unsigned long long)low, (unsigned long long)high);
    return false;
}
