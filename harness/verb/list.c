/* list: what there is. */
#include <getopt.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/base/output.h"
#include "harness/base/print.h"
#include "harness/base/screen.h"
#include "harness/document/kind.h"
#include "harness/document/members.h"
#include "harness/verb/verb.h"
#include "harness/verb/words.h"

/* Of a list among all others. */
enum { MOST_ROWS = 100 };

/* A row of a table is a JSON object; both renderings come from it. */
struct topic {
    const char *name;
    enum fb_exit (*collect)(json_t *rows); /* NULL: the words of that topic (words.h) */
    const char *columns[6];                /* of the table; the JSON has every member */
};

static enum fb_exit collect_designs(json_t *rows)
{
    for (size_t i = 0; i < fb_n_designs(); i++) {
        const struct fb_design *d = fb_design_at(i);
        json_t *kernels = json_array();
        for (const struct fb_kernel *const *k = d->kernels; k && *k; k++)
            json_array_append_new(kernels, json_string(fb_isa_name((*k)->isa)));
        json_array_append_new(
            rows, json_pack("{s:s, s:o, s:o, s:b, s:b, s:b, s:b, s:b, s:s?, s:s, s:s, s:s?}",
                            "name", d->name, "sizes_by", fb_words_sizing(d), "kernels", kernels,
                            "control", !!(d->traits & FB_CONTROL), "adds", fb_design_adds(d),
                            "removes", fb_design_removes(d), "grows", d->grow != NULL,
                            "may_be_full", d->when_full != NULL, "hash", d->hash, "summary",
                            d->summary, "source", d->source, "caveat", d->caveat));
    }
    return FB_EXIT_OK;
}

static enum fb_exit collect_hashes(json_t *rows)
{
    for (size_t i = 0; i < fb_n_hashes(); i++) {
        const struct fb_hash *h = fb_hash_at(i);
        json_array_append_new(rows, json_pack("{s:s, s:i, s:i, s:s, s:s}", "name", h->name, "bits",
                                              (int)h->bits, "seed_bits", (int)h->seed_bits,
                                              "summary", h->summary, "source", h->source));
    }
    return FB_EXIT_OK;
}

static enum fb_exit collect_presets(json_t *rows)
{
    json_auto_t *presets = NULL;
    enum fb_exit code = fb_json_folder("workloads/presets", &presets);
    FB_EACH(preset, presets) {
        struct fb_problem problem;
        const struct fb_kind *kind = fb_kind_of(preset, &problem);
        json_array_append_new(rows, json_pack("{s:O?, s:s?, s:O?}", "name",
                                              json_object_get(preset, "name"), "kind",
                                              kind ? kind->name : NULL, "summary",
                                              json_object_get(preset, "summary")));
    }
    return code;
}

static enum fb_exit collect_kinds(json_t *rows)
{
    for (const struct fb_kind *const *kind = fb_kinds; *kind; kind++)
        json_array_append_new(
            rows, json_pack("{s:s, s:s}", "name", (*kind)->name, "summary", (*kind)->summary));
    return FB_EXIT_OK;
}

static enum fb_exit collect_members(json_t *rows)
{
    fb_members_list(NULL, rows);
    return FB_EXIT_OK;
}

static const struct topic topics[] = {
    {"designs", collect_designs, {"name", "?sizes_by", "?hash", "summary"}},
    {"hashes", collect_hashes, {"name", "?bits", "?seed_bits", "summary"}},
    {"formats", NULL, {"name", "summary"}},
    {"popularities", NULL, {"name", "summary"}},
    {"absent", NULL, {"name", "summary"}},
    {"attacks", NULL, {"name", "summary"}},
    {"lookups", NULL, {"name", "summary"}},
    {"allocations", NULL, {"name", "summary"}},
    {"devices", NULL, {"name", "read_ns", "bytes_per_s", "assumed_of"}},
    {"kinds", collect_kinds, {"name", "summary"}},
    {"presets", collect_presets, {"name", "?kind", "summary"}},
    {"members", collect_members, {"record", "member", "?type", "?nature", "meaning"}},
    {"claims", fb_words_claims, {"!id", "?document", "?kind", "claim"}},
    {0},
};

static const struct topic *topic_find(const char *name)
{
    const struct topic *topic = fb_named(name, topics, sizeof *topics);
    if (!topic)
        fb_error("list: there is no list of '%s'%s (give designs, hashes, formats, popularities, "
                 "absent, "
                 "attacks, lookups, allocations, devices, kinds, presets, members, schema, claims)",
                 name, fb_did_you_mean(name, topics, sizeof *topics));
    return topic;
}

static enum fb_exit print_page(const struct topic *only)
{
    if (!only || only->collect != collect_members) {
        fb_error("list: only members are printed as md: 'filterbench list members --format md'");
        return FB_EXIT_USAGE;
    }
    fb_members_page(stdout);
    return FB_EXIT_OK;
}

static int list(int argc, char **argv)
{
    enum fb_output_format format = FB_FORMAT_TABLE;
    const struct fb_opt opts[] = {{"format", 0, FB_OPT_FORMAT, &format, 0, FB_FORMAT_MARKDOWN},
                                  {0}};
    struct fb_output out;
    if (!fb_opt_parse(argc, argv, opts, 1))
        return FB_EXIT_USAGE;
    if (optind < argc && !strcmp(argv[optind], "schema"))
        return (int)fb_print_answer(json_incref((json_t *)fb_schema()), FB_FORMAT_JSON, NULL);
    const struct topic *only = optind < argc ? topic_find(argv[optind]) : NULL;
    if (optind < argc && !only)
        return FB_EXIT_USAGE;
    if (format == FB_FORMAT_MARKDOWN)
        return (int)print_page(only);
    json_auto_t *document = json_object();
    enum fb_exit code = fb_output_open(NULL, &out);
    for (const struct topic *t = topics; t->name && !code; t++) {
        if (only && only != t)
            continue;
        json_t *rows = json_array();
        json_object_set_new(document, t->name, rows);
        if (t->collect)
            code = t->collect(rows);
        else
            fb_words_list(t->name, rows);
        if (format == FB_FORMAT_JSON || code)
            continue;
        if (!only && json_array_size(rows) > MOST_ROWS) {
            fprintf(out.file, "\n%s: ", t->name);
            fb_say(out.file, 2, "%zu rows; 'filterbench list %s' prints them\n",
                   json_array_size(rows), t->name);
            continue;
        }
        if (!only)
            fprintf(out.file, "%s%s:\n", t > topics ? "\n" : "", t->name);
        fb_print_rows(out.file, rows, t->columns);
    }
    if (!code && format == FB_FORMAT_JSON)
        code = fb_output_json(&out, document);
    return code ? (int)code : (int)fb_output_commit(&out);
}

const struct fb_verb fb_verb_list = {
    .name = "list",
    .example = "filterbench list designs",
    .usage = "list [TOPIC] [--format table|json|md]",
    .summary = "List designs, key formats, presets, claims and other names",
    .help = "Without a TOPIC, list prints all of them but the long ones:\n"
            "\n"
            "designs\tthe filters that you can measure, build and query\n"
            "hashes\thash functions, for --hash\n"
            "formats\tgenerated keys, for --set keys=FORMAT\n"
            "popularities\thow often each present key is looked up\n"
            "absent\thow absent keys are made\n"
            "attacks\thow an attacker chooses keys\n"
            "lookups\thow one query visits many filters\n"
            "allocations\thow memory is divided among the levels of a tree\n"
            "devices\twhat a read costs, for --device and --io\n"
            "kinds\tkinds of experiments\n"
            "presets\texperiments that run takes by name\n"
            "members\tthe members of result files; --format md gives a page\n"
            "schema\tthe JSON schema of result files\n"
            "claims\tfigures that others printed, for reproduce\n"
            "\n"
            "A claim of kind \"retired\" has left its ledger. Claims of papers and engines "
            "need reproduce --ledger beyond.\n",
    .main = list,
};
