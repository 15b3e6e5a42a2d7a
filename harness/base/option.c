#include "harness/base/option.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/base/quantity.h"
#include "harness/base/screen.h"

/* ---- Values ---- */

static bool take_double(const struct fb_opt *opt, enum fb_unit unit)
{
    double x;
    if (fb_quantity_read(optarg, unit, &x) && x >= opt->low && x <= opt->high) {
        *(double *)opt->out = x;
        return true;
    }
    fb_error("--%s: '%s' is not %s number%s from %.12g to %.12g%s", opt->name, optarg,
             strstr(optarg, "..") || strchr(optarg, ',') ? "one" : "a",
             unit == FB_UNIT_SECONDS ? " of seconds" : "", opt->low, opt->high,
             fb_quantity_example(unit, opt->low, opt->high));
    return false;
}

static bool take_count(const struct fb_opt *opt)
{
    const uint64_t low = (uint64_t)opt->low, high = (uint64_t)opt->high;
    uint64_t count = 0;
    bool ok = *optarg;
    for (const char *c = optarg; ok && *c; c++) {
        unsigned digit = (unsigned)*c - '0';
        ok = digit <= 9 && count <= (UINT64_MAX - digit) / 10;
        count = count * 10 + digit;
    }
    double x;
    if (!ok && fb_quantity_read(optarg, FB_UNIT_COUNT, &x) && x >= 0 && x <= 0x1p53 &&
        x == floor(x)) {
        ok = true;
        count = (uint64_t)x;
    }
    if (ok && count >= low && count <= high) {
        *(uint64_t *)opt->out = count;
        return true;
    }
    fb_error("--%s: '%s' is not a whole number from %llu to %llu%s", opt->name, optarg,
             (unsigned long long)low, (unsigned long long)high,
             fb_quantity_example(FB_UNIT_COUNT, opt->low, opt->high));
    return false;
}

/* Whose options these are, for messages. */
static const char *verb = "VERB";

static bool take_text(const struct fb_opt *opt)
{
    struct fb_texts *texts = opt->out;
    if (texts->n == sizeof texts->at / sizeof *texts->at) {
        fb_error("--%s: given more than %zu times", opt->name, texts->n);
        return false;
    }
    texts->at[texts->n++] = optarg;
    return true;
}

static bool take_format(const struct fb_opt *opt)
{
    const bool page = opt->high >= FB_FORMAT_MARKDOWN;
    const char *const names[] = {"table", "json", page ? "md" : NULL, NULL};
    for (int i = 0; names[i]; i++) {
        if (!strcmp(optarg, names[i])) {
            *(enum fb_output_format *)opt->out = (enum fb_output_format)i;
            return true;
        }
    }
    fb_error("--%s: there is no format '%s'%s (give table%s json%s)", opt->name, optarg,
             fb_did_you_mean(optarg, names, sizeof *names), page ? "," : " or",
             page ? " or md" : "");
    return false;
}

/* A design or a hash by its name. */
static bool take_registered(const struct fb_opt *opt)
{
    enum { NAMES_MAX = 256 };
    const bool design = opt->kind == FB_OPT_DESIGN;
    const size_t n = design ? fb_n_designs() : fb_n_hashes();
    const char *names[NAMES_MAX + 1] = {0};
    for (size_t i = 0; i < n && i < NAMES_MAX; i++) {
        names[i] = design ? fb_design_at(i)->name : fb_hash_at(i)->name;
        if (strcmp(names[i], optarg))
            continue;
        if (design)
            *(const struct fb_design **)opt->out = fb_design_at(i);
        else
            *(const struct fb_hash **)opt->out = fb_hash_at(i);
        return true;
    }
    fb_error("--%s: there is no %s '%s'%s (`filterbench list %s` shows them all)", opt->name,
             design ? "design" : "hash", optarg,
             strpbrk(optarg, "*?,") ? "; it takes one name"
                                    : fb_did_you_mean(optarg, names, sizeof *names),
             design ? "designs" : "hashes");
    return false;
}

static bool may_repeat(const struct fb_opt *opt)
{
    return opt->kind == FB_OPT_FLAG || opt->kind == FB_OPT_TEXTS;
}

static bool take_option(const struct fb_opt *opt, bool again)
{
    const bool is_text = opt->kind == FB_OPT_TEXT || opt->kind == FB_OPT_TEXTS;
    if (again && !may_repeat(opt)) {
        fb_error("--%s: given twice, the second time '%s'; give it once", opt->name, optarg);
        return false;
    }
    if (is_text && !*optarg) {
        fb_error("--%s: the value is empty (`filterbench %s --help` shows what it takes)",
                 opt->name, verb);
        return false;
    }
    switch (opt->kind) {
    case FB_OPT_TEXT:
        *(const char **)opt->out = optarg;
        return true;
    case FB_OPT_FLAG:
        *(bool *)opt->out = true;
        return true;
    case FB_OPT_TEXTS:
        return take_text(opt);
    case FB_OPT_COUNT:
        return take_count(opt);
    case FB_OPT_DOUBLE:
        return take_double(opt, FB_UNIT_NONE);
    case FB_OPT_SHARE:
        return take_double(opt, FB_UNIT_SHARE);
    case FB_OPT_SECONDS:
        return take_double(opt, FB_UNIT_SECONDS);
    case FB_OPT_FORMAT:
        return take_format(opt);
    case FB_OPT_DESIGN:
    case FB_OPT_HASH:
        return take_registered(opt);
    }
    return false;
}

/* ---- Options ---- */

enum { OPTIONS_MAX = 48, LONG_VALUE = 256 }; /* getopt's val of option i: LONG_VALUE + i */
enum { PLUGIN_VALUE = LONG_VALUE + OPTIONS_MAX, WIDE_VALUE, VERBOSE_VALUE };

static void unknown_option(const char *given, const struct option *options)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(given, "="), given);
    const char *near = fb_nearest(name + strspn(name, "-"), options, sizeof *options);
    if (near)
        fb_error("%s: no such option, did you mean '--%s'?", name, near);
    else
        fb_error("%s: no such option (`filterbench %s --help` lists them)", name, verb);
}

bool fb_opt_parse(int argc, char **argv, const struct fb_opt *opts, int max_operands)
{
    struct option options[OPTIONS_MAX + 4] = {{0}};
    verb = argv[0];
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
    options[n] = (struct option){FB_OPT_PLUGIN, required_argument, NULL, PLUGIN_VALUE};
    bool given[OPTIONS_MAX] = {false};
    options[n + 1] = (struct option){FB_OPT_WIDE, no_argument, NULL, WIDE_VALUE};
    options[n + 2] = (struct option){FB_OPT_VERBOSE, no_argument, NULL, VERBOSE_VALUE};
    opterr = 0;
    for (int val; (val = getopt_long(argc, argv, letters, options, NULL)) != -1;) {
        size_t i = 0; /* the option meant; n: none */
        if (val == PLUGIN_VALUE)
            continue;
        if (val == WIDE_VALUE || val == VERBOSE_VALUE) {
            (val == WIDE_VALUE ? fb_screen_show_all : fb_screen_be_verbose)();
            continue;
        }
        int code = val == '?' || val == ':' ? optopt : val;
        while (i < n && code != LONG_VALUE + (int)i && (!code || code != opts[i].letter))
            i++;
        if (val == ':' && optopt == PLUGIN_VALUE)
            fb_error("--%s: needs a value", FB_OPT_PLUGIN);
        else if (val == '?' && (optopt == WIDE_VALUE || optopt == VERBOSE_VALUE))
            fb_error("--%s: takes no value", optopt == WIDE_VALUE ? FB_OPT_WIDE : FB_OPT_VERBOSE);
        else if (i < n && val == ':')
            fb_error("--%s: needs a value (`filterbench %s --help` shows which)", opts[i].name,
                     verb);
        else if (i < n && val == '?')
            fb_error("--%s: takes no value", opts[i].name);
        else if (i < n && take_option(&opts[i], given[i]) && (given[i] = true))
            continue;
        else if (i == n && code)
            fb_error("-%c: no such option (`filterbench %s --help` lists them)", code, verb);
        else if (i == n)
            unknown_option(argv[optind - 1], options);
        return false;
    }
    for (int i = optind; i < argc; i++) {
        if (!*argv[i]) {
            fb_error("%s: operand %d is empty (`filterbench %s --help` shows what it takes)", verb,
                     i - optind + 1, verb);
            return false;
        }
    }
    if (argc - optind <= max_operands)
        return true;
    fb_error("%s: unexpected operand '%s' (`filterbench %s --help` shows what it takes)", verb,
             argv[optind + max_operands], verb);
    return false;
}

bool fb_opt_required(const char *option, const void *value)
{
    if (!value)
        fb_error("%s: missing (`filterbench %s --help` shows what it takes)", option, verb);
    return value;
}

bool fb_opt_wrong(bool wrong, const char *what, const char *why)
{
    if (wrong)
        fb_error("%s: %s", what, why);
    return wrong;
}
