/* claim: one sentence about a filter, put together from options, measured and judged. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/base/output.h"
#include "harness/base/print.h"
#include "harness/base/screen.h"
#include "harness/document/fields.h"
#include "harness/document/run.h"
#include "harness/kind/claims/own.h"
#include "harness/verb/verb.h"

/* ---- What may be claimed ---- */

/* A number, the experiment that tells it, and the member of its cells. */
static const struct number {
    const char *option, *kind, *take, *unit;
    double scale;       /* of the member, to have the unit */
    bool ratio;         /* it is one, always */
    const char *says;   /* "DESIGN ... NUMBER UNIT" of a sentence, */
    const char *beside; /* and "NUMBER times ... DESIGN" of a ratio */
} numbers[] = {
    {"fpr", "fpr", "fpr.estimate", "of absent keys", 1, false, "has a false-positive rate of",
     "that of "},
    {"takes", "fpr", "fpr.bits_per_key", "bits per key", 1, false, "takes", "the bits per key of "},
    {"size", "fpr", "geometry.n_bytes", "B", 1, false, "takes", "the memory of "},
    {"ns", "kernels", "time.median", "ns", 1, false, "takes", "the time of "},
    {"times", "kernels", "time.median", "x", 1, true, "is", "as fast as "},
    {"reads", "lsm", "reads.io", "reads per query", 1, false, "costs", "the reads of "},
};
enum { N_NUMBERS = sizeof numbers / sizeof *numbers };

struct asked {
    const char *given[N_NUMBERS]; /* the texts of the options; NULL: not given */
    const struct number *number;  /* the one that is */
    const char *design, *versus, *at, *operation, *keys, *sentence, *id;
    double bits, target, hit_ratio, absent; /* NaN: not given */
    uint64_t n;
    struct fb_texts set;
};

/* ---- Filters that we lack ---- */

/* Names that people know, the closest that there is here, and how that differs; NULL: it is that
 * filter. */
static const struct {
    const char *name, *closest, *differs;
} kin[] = {
    {"morton", "cuckoo-12", "has no compressed blocks and no biased insertion"},
    {"vacuum", "cuckoo-12", "puts the second bucket of a key anywhere, and not nearby"},
    {"semi-sort", "cuckoo-12", "does not sort the entries of a bucket to save a bit of each"},
    {"cuckoo", "cuckoo-12", "has fingerprints of 12 bits; cuckoo-16 has 16"},
    {"cqf", "quotient", "has two blocks of 64 bytes for a key, and no counters"},
    {"rsqf", "quotient", "has two blocks of 64 bytes for a key, and no runs"},
    {"vqf", "quotient", NULL},
    {"prefix", "quotient", "has a second block for each key, and no spare table"},
    {"xor+", "xor-8", "stores the empty slots too"},
    {"bloomier", "xor-8", "answers yes or no, and stores no values"},
    {"fuse-4wise", "fuse-8", "has three slots for a key instead of four"},
    {"binary-fuse", "fuse-8", NULL},
    {"bumped", "ribbon-homogeneous", "has no second layer for keys that do not fit"},
    {"bump-once", "ribbon-homogeneous", "has no second layer for keys that do not fit"},
    {"ribbon", "rocksdb-ribbon", "is RocksDB's standard Ribbon; ribbon-homogeneous is another"},
    {"blocked", "rocksdb-fastlocal", "has blocks of one line of 64 bytes"},
    {"split", "sbbf-256", "has blocks of 256 bits; sbbf-512 has 512"},
    {"guava", "bloom-double", "hashes with XXH64 in place of Murmur3"},
    {"cassandra", "bloom-double", "hashes with XXH64 in place of Murmur3"},
    {"redis", "bloom-double", "does not grow by further filters"},
    {"postgres", "bloom-enhanced", "has another hash"},
    {"parquet", "sbbf-256", NULL},
    {"impala", "sbbf-256", "has the hash of Parquet"},
    {"pebble", "rocksdb-legacy", "hashes as RocksDB did; blocks and probes are alike"},
    {"goleveldb", "leveldb", NULL},
    {"badger", "nori-pow2", "has another hash"},
    {"surf", "rocksdb-fastlocal", "answers for keys alone and not for ranges"},
    {"snarf", "rocksdb-fastlocal", "answers for keys alone and not for ranges"},
    {"rosetta", "rocksdb-fastlocal", "answers for keys alone and not for ranges"},
    {"grafite", "rocksdb-fastlocal", "answers for keys alone and not for ranges"},
};

/* False with a line on stderr where there is no such design. */
static bool is_known(const char *option, const char *name)
{
    if (!name || fb_design_find(name))
        return true;
    for (size_t i = 0; i < sizeof kin / sizeof *kin; i++) {
        if (strncasecmp(name, kin[i].name, strlen(kin[i].name)) != 0)
            continue;
        if (kin[i].differs)
            fb_error("claim: %s: '%.60s' cannot be judged, as filterbench has no such filter; the "
                     "closest is %s, which %s",
                     option, name, kin[i].closest, kin[i].differs);
        else
            fb_error("claim: %s: '%.60s' is called %s here; give that", option, name,
                     kin[i].closest);
        return false;
    }
    struct fb_problem problem = {"give the name of one design"};
    json_auto_t *given = fb_json_text(name);
    json_decref(fb_read_design(&problem, NULL, "it cannot be judged", given));
    fb_error("claim: %s: %s", option, problem.text);
    return false;
}

/* ---- The number as it was written: "<1%", "about 9.2x", "1.2 MB" ---- */

struct written {
    const char *relation;
    char digits[40];
    const char *unit; /* behind the digits */
    bool about;
};

static bool read_written(const char *text, struct written *out)
{
    static const char *const relations[] = {"<=", ">=", "<", ">", "="};
    *out = (struct written){.relation = "="};
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++)
        if (!strncmp(text, relations[i], strlen(relations[i]))) {
            out->relation = relations[i];
            text += strlen(relations[i]);
            break;
        }
    text += strspn(text, " ");
    if (*text == '~' || !strncmp(text, "about ", 6)) {
        out->about = true;
        text += *text == '~' ? 1 : 6;
    }
    const size_t n = strspn(text, "0123456789.,+-eE");
    double value, half;
    if (!n || n >= sizeof out->digits)
        return false;
    memcpy(out->digits, text, n);
    out->unit = text + n + strspn(text + n, " ");
    /* "1,234" has groups of three digits; "0,9" has a decimal comma, and is another number. */
    for (const char *comma = strchr(out->digits, ','); comma; comma = strchr(comma + 1, ','))
        if (strspn(comma + 1, "0123456789") != 3)
            return false;
    return fb_printed_number(out->digits, &value, &half) && value >= 0;
}

/* What a unit behind the digits does to the member's. False: no such unit. */
static bool read_unit(const struct asked *a, const struct written *w, const char **unit,
                      double *scale, bool *ratio)
{
    static const struct {
        const char *option, *written, *unit;
        double scale;
    } units[] = {
        {"fpr", "%", "%", 100},          {"size", "B", "B", 1},
        {"size", "kB", "kB", 1e-3},      {"size", "MB", "MB", 1e-6},
        {"size", "GB", "GB", 1e-9},      {"size", "KiB", "KiB", 0x1p-10},
        {"size", "MiB", "MiB", 0x1p-20}, {"size", "GiB", "GiB", 0x1p-30},
        {"ns", "ns", "ns", 1},           {"ns", "us", "us", 1e-3},
    };
    *unit = a->number->unit;
    *scale = 1;
    *ratio = a->number->ratio || !strcmp(w->unit, "x");
    if (*ratio)
        *unit = "x";
    if (!*w->unit || !strcmp(w->unit, "x"))
        return true;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(units[i].option, a->number->option) && !strcmp(units[i].written, w->unit)) {
            *unit = units[i].unit;
            *scale = units[i].scale;
            return true;
        }
    return false;
}

/* ---- The row ---- */

static json_t *experiment_of(const struct asked *a)
{
    const char *kind = a->number->kind;
    json_t *e = json_pack("{s:s, s:[s]}", "kind", kind, "designs", a->design);
    if (a->versus)
        json_array_append_new(json_object_get(e, "designs"), json_string(a->versus));
    if (!isnan(a->target))
        json_object_set_new(e, "fpr", json_pack("[f]", a->target));
    else
        json_object_set_new(e, "bits_per_key", json_pack("[f]", isnan(a->bits) ? 10 : a->bits));
    if (!strcmp(kind, "kernels")) {
        json_object_set_new(e, "footprints", json_pack("[s]", a->at));
        json_object_set_new(e, "operations", json_pack("[s]", a->operation));
        json_object_set_new(e, "hit_ratios",
                            json_pack("[f]", isnan(a->hit_ratio) ? 0 : a->hit_ratio));
    } else {
        json_t *n = fb_json_int(a->n);
        json_object_set_new(e, "n", !strcmp(kind, "fpr") ? json_pack("[o]", n) : n);
        if (a->keys)
            json_object_set_new(e, "keys", json_string(a->keys));
    }
    if (!strcmp(kind, "lsm"))
        json_object_set_new(e, "absent", json_real(isnan(a->absent) ? 1 : a->absent));
    return e;
}

/* What a ratio is of: the claim's design over the other; of times the other over the claim's, as
 * the faster takes less. */
static json_t *measure_of(const struct asked *a, double scale, bool ratio)
{
    const bool times = !strcmp(a->number->kind, "kernels");
    json_t *m =
        json_pack("{s:o, s:s, s:{s:s}}", "experiment", experiment_of(a), "take", a->number->take,
                  "where", "design", ratio && times ? a->versus : a->design);
    if (times)
        json_object_set_new(json_object_get(m, "where"), "operation", json_string(a->operation));
    if (ratio)
        json_object_set_new(
            m, "over", json_pack("{s:{s:s}}", "where", "design", times ? a->design : a->versus));
    if (scale != 1)
        json_object_set_new(m, "scale", json_real(scale));
    return m;
}

/* "leveldb with 10 bits per key has a false-positive rate of 1.5 times that of nori." */
static json_t *sentence_of(const struct asked *a, const struct written *w, const char *unit,
                           bool ratio)
{
    static const struct {
        const char *relation, *says;
    } words[] = {{"=", ""},
                 {"<", "less than "},
                 {"<=", "at most "},
                 {">", "more than "},
                 {">=", "at least "}};
    const bool times = !strcmp(a->number->kind, "kernels"), tree = !strcmp(a->number->kind, "lsm");
    char size[60] = "", number[120], place[80];
    const char *than = "";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        than = strcmp(words[i].relation, w->relation) ? than : words[i].says;
    if (!isnan(a->target))
        snprintf(size, sizeof size, " sized for a rate of %.6g", a->target);
    else if (!isnan(a->bits))
        snprintf(size, sizeof size, " with %.6g bits per key", a->bits);
    if (ratio)
        snprintf(number, sizeof number, "%s times %s%.60s", w->digits, a->number->beside,
                 a->versus);
    else
        snprintf(number, sizeof number, "%s %s", w->digits, unit);
    if (times)
        snprintf(place, sizeof place, " (%.20s, %.10s)", a->operation, a->at);
    else
        snprintf(place, sizeof place,
                 tree ? " in a tree of %llu keys, %.6g %% of the queries absent" : " at %llu keys",
                 (unsigned long long)a->n, 100 * (isnan(a->absent) ? 1 : a->absent));
    return json_sprintf("%s%s %s %s%s%s%s.", a->design, size, a->number->says, than,
                        w->about ? "about " : "", number, place);
}

/* NULL with a line on stderr. */
static json_t *row_of(const struct asked *a)
{
    const char *text = a->given[a->number - numbers], *unit;
    struct written w;
    double scale;
    bool ratio;
    if (!read_written(text, &w) || !read_unit(a, &w, &unit, &scale, &ratio)) {
        fb_error("claim: --%s: '%.60s' is no number that it can have; give it as it was printed, "
                 "such as %s",
                 a->number->option, text,
                 !strcmp(a->number->option, "fpr")    ? "0.9%, '<1%' or 'about 1%'"
                 : !strcmp(a->number->option, "size") ? "1.25MB or '<=64KiB'"
                 : a->number->ratio                   ? "9.2 or '>2'"
                                                      : "9.6 or '<10'");
        return NULL;
    }
    if (fb_opt_wrong(ratio && !a->versus, "claim", "a ratio is to another design: give --versus") ||
        fb_opt_wrong(!ratio && a->versus, "claim",
                     "--versus: only a ratio is taken to another design, such as --fpr 1.5x") ||
        fb_opt_wrong(ratio && !strcmp(a->design, a->versus), "claim",
                     "--versus: it is the same design; give another"))
        return NULL;
    double value, half;
    fb_printed_number(w.digits, &value, &half);
    const bool rate = !ratio && !strcmp(a->number->option, "fpr");
    if (fb_opt_wrong(
            rate && value > scale, "claim",
            "--fpr: a rate is at most 1, or 100%; was a percentage meant, such as 1.3%?") ||
        fb_opt_wrong(rate && scale == 1 && (value >= 0.1 || !strpbrk(w.digits, ".eE")), "claim",
                     "--fpr: a share or a percentage? Give 0.01 or 1%") ||
        fb_opt_wrong(value == 0 && !rate && strcmp(a->number->option, "reads") != 0, "claim",
                     "0 is no such number; give one above 0"))
        return NULL;
    json_t *claimed =
        json_pack("{s:s, s:s, s:s}", "printed", w.digits, "unit", unit, "relation", w.relation);
    if (!strcmp(w.relation, "=") && (w.about || value == 0)) /* 0 means: never */
        json_object_set_new(claimed, "tolerance",
                            json_pack("{s:b}", w.about ? "about" : "exact", 1));
    json_t *sentence = a->sentence ? fb_json_text(a->sentence) : sentence_of(a, &w, unit, ratio);
    json_t *id = a->id ? fb_json_text(a->id) : json_sprintf("%s.%s", a->design, a->number->option);
    return json_pack("{s:o, s:o, s:o, s:o}", "id", id, "claim", sentence, "claimed", claimed,
                     "measure", measure_of(a, scale, ratio));
}

/* ---- The answer ---- */

static void print_row(FILE *file, const json_t *row)
{
    static const char *const lines[] = {"id", "claim", "claimed", "measure", NULL};
    for (const char *const *name = lines; *name; name++) {
        char *text =
            json_dumps(json_object_get(row, *name), JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
        fprintf(file, "%s\"%s\": %s%s\n", name == lines ? "{" : " ", *name, text ? text : "null",
                name[1] ? "," : "}");
        free(text);
    }
}

/* What is found, and what it was held against. */
static void print_answer(FILE *file, const json_t *cell, const struct fb_claim *claim)
{
    const char *verdict = fb_json_str(cell, "verdict"), *why = fb_json_str(cell, "why");
    const double measured = fb_json_num(cell, "measured"), theory = fb_json_num(cell, "theory");
    char number[60], predicted[60], test[400];
    fb_claim_numbers(claim, &measured, 1, number, sizeof number);
    fb_claim_numbers(claim, &theory, 1, predicted, sizeof predicted);
    fb_claim_test(claim, test, sizeof test);
    if (!strcmp(verdict, "not judged")) {
        fb_say(file, 2, "cannot be judged: \"%s\"\n", claim->claim);
        fb_say(file, 2, "measured: %s ns on this machine; a time belongs to its machine\n", number);
        fb_say(file, 2,
               "ask for a ratio, which another machine may have too: --versus DESIGN "
               "--times X\n");
        return;
    }
    fb_say_verdict(file, 2, verdict, "%s: \"%s\"\n", verdict, claim->claim);
    if (json_object_get(cell, "interval"))
        fb_say(file, 2, "measured: %s %s (%.4g to %.4g, %.4g %%)%s%s\n", number,
               claim->claimed.unit, fb_json_num(cell, "interval.low"),
               fb_json_num(cell, "interval.high"), 100 * fb_json_num(cell, "interval_level"),
               isnan(theory) ? "" : "; theory: ", isnan(theory) ? "" : predicted);
    else
        fb_say(file, 2, "measured: %s %s, exactly\n", number, claim->claimed.unit);
    fb_say(file, 2, "rule: %s\n", test);
    if (!strcmp(verdict, "undecided") || !strcmp(fb_json_str(cell, "model"), "failed"))
        fb_say(file, 2, "%s\n", why);
}

static enum fb_exit answer(const json_t *document, const json_t *row)
{
    struct fb_ledger ledger = {0};
    struct fb_problem problem;
    json_t *own = json_object_get(json_object_get(document, "experiment"), "ledger");
    const json_t *cell = json_array_get(json_object_get(document, "cells"), 0);
    enum fb_exit code = FB_EXIT_OK;
    if (fb_own_open(own, &ledger, &problem)) {
        print_answer(stdout, cell, &ledger.claims[0]);
        puts("\nThe row, for a ledger of your own (`filterbench reproduce --new-ledger FILE`):");
        print_row(stdout, row);
    } else {
        code = fb_fail("claim", FB_ENOMEM, NULL);
    }
    if (!strcmp(fb_json_str(cell, "model"), "failed"))
        code = FB_EXIT_CORRECTNESS;
    fb_ledger_close(&ledger);
    return code;
}

static enum fb_exit judge(const json_t *row, const struct fb_run_options *o, const char *seed)
{
    json_auto_t *document = NULL,
                *given = json_pack("{s:s, s:s, s:{s:[O]}}", "kind", "claims", "claims", "all",
                                   "ledger", "claims", (json_t *)row);
    if (seed)
        json_object_set_new(given, "seed", fb_seed_given(seed));
    fb_kind_find("claims")->prepare(given, o);
    struct fb_output out = {0};
    enum fb_exit code = o->output ? fb_output_open(o->output, &out) : FB_EXIT_OK;
    if (!code)
        code = fb_run_part(o, given, &document);
    if (!code && o->output)
        code = fb_output_json(&out, document);
    if (!code && o->output)
        code = fb_output_commit(&out);
    fb_output_close(&out);
    if (!code && o->format == FB_FORMAT_JSON)
        code = fb_print_answer(json_incref(document), FB_FORMAT_JSON, NULL);
    else if (!code)
        code = answer(document, row);
    return code;
}

/* Finds the number that is claimed; false with a line on stderr unless there is exactly one. */
static bool find_number(struct asked *a)
{
    size_t n = 0;
    for (size_t i = 0; i < N_NUMBERS; i++)
        if (a->given[i]) {
            a->number = &numbers[i];
            n++;
        }
    return !fb_opt_wrong(n != 1, "claim",
                         "give the one number that is claimed: --fpr, --takes, --size, --times, "
                         "--ns or --reads");
}

static int claim(int argc, char **argv)
{
    struct asked a = {.bits = NAN, .target = NAN, .hit_ratio = NAN, .absent = NAN, .n = 1000000};
    struct fb_run_options o = {.name = "claim", .quiet = true, .argc = argc, .argv = argv};
    const char *seed = NULL;
    const struct fb_opt opts[] = {
        {"design", 'd', FB_OPT_TEXT, &a.design, 0, 0},
        {"versus", 0, FB_OPT_TEXT, &a.versus, 0, 0},
        {numbers[0].option, 0, FB_OPT_TEXT, &a.given[0], 0, 0},
        {numbers[1].option, 0, FB_OPT_TEXT, &a.given[1], 0, 0},
        {numbers[2].option, 0, FB_OPT_TEXT, &a.given[2], 0, 0},
        {numbers[3].option, 0, FB_OPT_TEXT, &a.given[3], 0, 0},
        {numbers[4].option, 0, FB_OPT_TEXT, &a.given[4], 0, 0},
        {numbers[5].option, 0, FB_OPT_TEXT, &a.given[5], 0, 0},
        {"bits-per-key", 'b', FB_OPT_DOUBLE, &a.bits, 0.1, 1000},
        {"target", 0, FB_OPT_SHARE, &a.target, 1e-12, 0.99},
        {"n", 'n', FB_OPT_COUNT, &a.n, 1, 1e9},
        {"keys", 'k', FB_OPT_TEXT, &a.keys, 0, 0},
        {"at", 0, FB_OPT_TEXT, &a.at, 0, 0},
        {"operation", 0, FB_OPT_TEXT, &a.operation, 0, 0},
        {"hit-ratio", 0, FB_OPT_SHARE, &a.hit_ratio, 0, 1},
        {"absent", 0, FB_OPT_SHARE, &a.absent, 0, 1},
        {"set", 0, FB_OPT_TEXTS, &a.set, 0, 0},
        {"sentence", 0, FB_OPT_TEXT, &a.sentence, 0, 0},
        {"id", 0, FB_OPT_TEXT, &a.id, 0, 0},
        {"quick", 0, FB_OPT_FLAG, &o.quick, 0, 0},
        {"full", 0, FB_OPT_FLAG, &o.full, 0, 0},
        {"seed", 0, FB_OPT_TEXT, &seed, 0, 0},
        {"threads", 0, FB_OPT_COUNT, &o.threads, 1, 1024},
        {"output", 'o', FB_OPT_TEXT, &o.output, 0, 0},
        {"format", 0, FB_OPT_FORMAT, &o.format, 0, 0},
        {0},
    };
    if (!fb_opt_parse(argc, argv, opts, 0) || !fb_opt_required("--design", a.design) ||
        fb_opt_wrong(o.quick && o.full, "claim", "--quick and --full exclude each other") ||
        fb_opt_wrong(!isnan(a.bits) && !isnan(a.target), "claim",
                     "-b and --target both say how large the filter is: give one") ||
        !find_number(&a) || !is_known("--design", a.design) || !is_known("--versus", a.versus))
        return FB_EXIT_USAGE;
    a.operation = a.operation ? a.operation : "batch";
    a.at = a.at ? a.at : "L2";
    json_t *row = row_of(&a);
    if (!row)
        return FB_EXIT_USAGE;
    enum fb_exit code =
        fb_experiment_set_all((json_t *)fb_json_at(row, "measure.experiment"), &a.set)
            ? judge(row, &o, seed)
            : FB_EXIT_USAGE;
    json_decref(row);
    return (int)code;
}

const struct fb_verb fb_verb_claim = {
    .name = "claim",
    .example = "filterbench claim -d sbbf-256 -b 10 -n 1M --fpr 0.9%",
    .usage = "claim -d DESIGN NUMBER [options]",
    .summary = "Check one sentence about a filter, by measuring it here",
    .help = "NUMBER is what somebody printed: 0.9%, '<1%', 'about 40'. A number with x behind "
            "it, such as 1.5x, is a ratio to --versus.\n"
            "\n"
            "The number, one of:\n"
            "--fpr RATE\tfalse-positive rate\n"
            "--takes BITS\tbits per key that the filter has in the end\n"
            "--size BYTES\tmemory of a filter\n"
            "--times X\thow many times as fast as --versus it is\n"
            "--ns TIME\tnanoseconds; they are measured, and not judged\n"
            "--reads R\treads per query in an LSM tree\n"
            "\n"
            "What it is about:\n"
            "-d, --design NAME\tthe design that the sentence praises\n"
            "--versus NAME\tthe design that it is compared with\n"
            "-b, --bits-per-key B\tsize of the filters (10)\n"
            "--target RATE\tsize them for this rate instead\n"
            "-n, --n N\tkeys of a filter, or of the tree (1M)\n"
            "-k, --keys FORMAT\tkeys of that format ('filterbench list formats')\n"
            "\n"
            "Of times and trees:\n"
            "--at L1|L2|L3|DRAM\tthe memory that the filters fill (L2)\n"
            "--operation NAME\twhat is timed: batch (default), each, insert, build or "
            "another ('filterbench describe operations')\n"
            "--hit-ratio SHARE\tshare of lookups that ask for present keys (0)\n"
            "--absent SHARE\tshare of queries of a tree that ask for absent keys (1)\n"
            "--set FIELD=VALUE\tset any field of the experiment\n"
            "\n"
            "The run:\n"
            "--quick\tmeasure less: the interval is wider\n"
            "--full\tmeasure more\n"
            "--seed HEX\tthe root seed\n"
            "--threads N\thow many threads count (default: one per core)\n"
            "\n"
            "Output:\n"
            "--sentence TEXT\tthe sentence itself, for the row\n"
            "--id NAME\tname of the row\n"
            "-o, --output FILE\twrite the result document (JSON)\n"
            "--format table|json\twhat to print on stdout (table)\n"
            "\n"
            "The verdict is reproduced, not reproduced or undecided. A number counts as printed "
            "within half a unit of its last digit.\n"
            "\n"
            "Exit codes:\n"
            "0\tit was judged, whatever the verdict\n"
            "2\tthere is no such filter or number\n"
            "5\ta model failed\n",
    .main = claim,
    .polls_interrupt = true,
};
