/* advise: which filter to use, for given keys, memory, tree and disk. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/base/quantity.h"
#include "harness/document/run.h"
#include "harness/store/rocksdb_stats.h"
#include "harness/verb/again.h"
#include "harness/verb/database.h"
#include "harness/verb/io.h"
#include "harness/verb/verb.h"

struct given {
    struct fb_run_options run;
    const char *designs, *n, *bits, *memory, *price, *dollars, *tree, *sst_sizes, *absent, *cache,
        *skew, *from, *engine, *value_bytes, *stats, *seed, *queries, *budget, *again;
    struct fb_io_given io;
    struct fb_database_given db;
    double build_bytes;
    bool removal, all_designs, prove;
    struct fb_texts set;
};

static bool refuse(const char *option, const char *text, const char *accepted)
{
    fb_error("advise: --%s: '%.80s' is not accepted; give %s", option, text, accepted);
    return false;
}

/* ---- Options that are more than a field ---- */

static const char tree_accepted[] =
    "a style and what it has: leveled,T=10,L=5,l0=4,file=64Mi (tiered, lazy, universal)";

/* "leveled,T=10,L=5,l0=4,file=64Mi" */
static bool read_tree(const char *text, json_t *fields)
{
    static const struct {
        const char *name, *field;
    } parts[] = {{"T", "ratio"}, {"L", "levels"}, {"l0", "l0"}, {"file", "segment_bytes"}};
    char copy[200], *next = copy;
    if (strlen(text) >= sizeof copy)
        return refuse("tree", text, tree_accepted);
    strcpy(copy, text);
    for (size_t i = 0; next; i++) {
        char *here = next, *comma = strchr(here, ','), *equals;
        if (comma)
            *comma = '\0';
        next = comma ? comma + 1 : NULL;
        equals = strchr(here, '=');
        if (!i && !equals) {
            json_object_set_new(fields, "style", json_string(here));
            continue;
        }
        size_t part = 0;
        while (equals && part < 4 &&
               (strncmp(parts[part].name, here, (size_t)(equals - here)) != 0 ||
                parts[part].name[equals - here]))
            part++;
        if (!equals || part == 4)
            return refuse("tree", text, tree_accepted);
        double value;
        const bool bytes = part == 3;
        if (!fb_quantity_read(equals + 1, bytes ? FB_UNIT_BYTES : FB_UNIT_COUNT, &value))
            return refuse("tree", text, tree_accepted);
        json_object_set_new(fields, parts[part].field, json_real(value));
    }
    return true;
}

static const char absent_accepted[] = "a share, 0.7; a range, 0.3..0.9; or both, 0.7:0.3..0.9";

/* "0.7", "0.3..0.9", whose middle is what counts, or "0.7:0.3..0.9" */
static bool read_absent(const char *text, json_t *fields)
{
    char copy[80];
    double point, low = -1, high = -1;
    const size_t len = strlen(text);
    if (len >= sizeof copy)
        return refuse("absent", text, absent_accepted);
    memcpy(copy, text, len + 1);
    char *range = strchr(copy, ':'), *first = range ? range + 1 : copy, *dots = strstr(first, "..");
    if (range)
        *range = '\0';
    if (dots)
        *dots = '\0';
    bool read = !dots || (fb_quantity_read(first, FB_UNIT_SHARE, &low) &&
                          fb_quantity_read(dots + 2, FB_UNIT_SHARE, &high));
    if (read && dots && !range)
        point = (low + high) / 2;
    else
        read =
            read && (range ? dots != NULL : true) && fb_quantity_read(copy, FB_UNIT_SHARE, &point);
    if (!read)
        return refuse("absent", text, absent_accepted);
    json_object_set_new(fields, "absent", json_real(point));
    if (dots) {
        json_object_set_new(fields, "absent_low", json_real(low));
        json_object_set_new(fields, "absent_high", json_real(high));
    }
    return true;
}

/* "rocksdb-ribbon" or "rocksdb-ribbon,10" */
static bool read_from(const char *text, json_t *fields)
{
    const char *comma = strchr(text, ',');
    double bits;
    json_object_set_new(fields, "from",
                        json_stringn(text, comma ? (size_t)(comma - text) : strlen(text)));
    if (comma && (!fb_quantity_read(comma + 1, FB_UNIT_NONE, &bits) || !(bits > 0)))
        return refuse("from", text, "a design and its bits per key, rocksdb-fastlocal,10");
    if (comma)
        json_object_set_new(fields, "from_bits", json_real(bits));
    return true;
}

/* "2.5,4e-7,1000" */
static bool read_dollars(const char *text, json_t *fields)
{
    static const char *const names[] = {"memory_dollars", "read_dollars", "query_rate"};
    const char *at = text;
    for (size_t i = 0; i < 3; i++) {
        char *end;
        const double value = strtod(at, &end);
        if (end == at || !(value > 0) || *end != (i < 2 ? ',' : '\0'))
            return refuse("dollars", text,
                          "dollars of a GB for a month, of a read, and queries a second: "
                          "2.5,4e-7,1000");
        json_object_set_new(fields, names[i], json_real(value));
        at = end + 1;
    }
    return true;
}

struct sizes {
    const char *path;
    double of_level[64], files[64];
    json_t *runs;
};

/* "BYTES LEVEL", or as `du -b` has it "BYTES NAME": a file of level 0, which may overlap all
 * others. Files of one level above 0 are one run. */
static bool take_size(void *arg, size_t number, char *line)
{
    struct sizes *sizes = arg;
    char *end, *rest;
    const unsigned long long bytes = strtoull(line, &end, 10);
    const bool ended = !*end || *end == ' ' || *end == '\t';
    while (*end == ' ' || *end == '\t')
        end++;
    const unsigned long level = strtoul(end, &rest, 10);
    const bool has_level = rest != end && !*rest;
    if (*line == '-' || end == line || !ended || !bytes || (has_level && level > 63)) {
        fb_error("%s: line %zu: '%.60s' is no size of a file; give BYTES and a level, 67108864 2, "
                 "or what `du -b` prints",
                 sizes->path, number, line);
        return false;
    }
    if (has_level && level) {
        sizes->of_level[level] += (double)bytes;
        sizes->files[level]++;
    } else {
        json_array_append_new(sizes->runs, json_pack("{s:i, s:I, s:i}", "level", 0, "bytes",
                                                     (json_int_t)bytes, "files", 1));
    }
    return true;
}

static enum fb_exit read_sizes(const char *path, json_t *fields)
{
    struct sizes sizes = {.path = path, .runs = json_array()};
    enum fb_exit code = fb_file_lines(path, take_size, &sizes);
    for (int i = 1; i < 64; i++)
        if (sizes.of_level[i] > 0)
            json_array_append_new(sizes.runs, json_pack("{s:i, s:I, s:I}", "level", i, "bytes",
                                                        (json_int_t)sizes.of_level[i], "files",
                                                        (json_int_t)sizes.files[i]));
    if (!code && !json_array_size(sizes.runs)) {
        fb_error("%s: no sizes of files; give a line of BYTES and a level for each", path);
        code = FB_EXIT_USAGE;
    }
    json_object_set_new(fields, "run_bytes", sizes.runs);
    return code;
}

static enum fb_exit read_stats(const char *path, bool take_absent, json_t *fields)
{
    struct fb_rocksdb_stats stats;
    enum fb_exit code = fb_rocksdb_stats_read(path, &stats);
    if (code)
        return code;
    if (take_absent)
        json_object_set_new(fields, "absent", json_real(stats.absent_in_tables));
    json_object_set_new(fields, "deployed_false", json_integer((json_int_t)stats.false_positives));
    json_object_set_new(fields, "deployed_negatives", json_integer((json_int_t)stats.negatives));
    fb_note("%s: %.4g %% of the Gets that memtables did not answer found nothing", path,
            100 * stats.absent_in_tables);
    return FB_EXIT_OK;
}

/* ---- The experiment ---- */

static bool set_fields(const struct given *g, json_t *fields)
{
    const struct {
        const char *field, *text;
    } names[] = {{"designs", g->designs},
                 {"engine", g->engine},
                 {"device", fb_io_device(&g->io)},
                 {"popularity", g->skew}},
      texts[] = {{"n", g->n},
                 {"bits_per_key", g->bits},
                 {"memory", g->memory},
                 {"memory_price", g->price},
                 {"cache_bytes", g->cache},
                 {"value_bytes", g->value_bytes},
                 {"queries", g->queries},
                 {"budget", g->budget}};
    struct fb_problem problem;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].text && !fb_experiment_set(fields, texts[i].field, texts[i].text, &problem)) {
            fb_error("advise: %s", problem.text);
            return false;
        }
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].text &&
            json_object_set_new(fields, names[i].field, json_string(names[i].text))) {
            fb_error("advise: %s: not UTF-8", names[i].field);
            return false;
        }
    }
    /* Who names designs, or needs what engines lack, wants them compared, unless an engine decides.
     */
    if (g->all_designs || ((g->designs || g->removal) && !g->engine && !g->db.folder))
        json_object_set_new(fields, "all_designs", json_true());
    if (g->seed)
        json_object_set_new(fields, "seed", fb_seed_given(g->seed));
    if (g->removal)
        json_object_set_new(fields, "removal", json_true());
    if (g->prove)
        json_object_set_new(fields, "prove", json_true());
    if (g->build_bytes > 0)
        json_object_set_new(fields, "build_bytes", json_real(g->build_bytes));
    return (!g->tree || read_tree(g->tree, fields)) &&
           (!g->absent || read_absent(g->absent, fields)) &&
           (!g->from || read_from(g->from, fields)) &&
           (!g->dollars || read_dollars(g->dollars, fields));
}

/* What is assumed, where it is not given. */
static void tell_assumed(const struct given *g)
{
    char text[300] = "";
    const struct {
        bool given;
        const char *what;
    } all[] = {{g->run.keys, "keys of 16 random bytes"},
               {g->absent || g->stats, "--absent 0.5"},
               {g->tree || g->sst_sizes || g->db.folder, "--tree leveled,T=10,l0=4,file=64Mi"},
               {g->io.io, "--io 100us"},
               {g->value_bytes || g->db.folder, "--value-bytes 100"},
               {g->bits || g->memory || g->price || g->dollars, "as many bits as pay"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!all[i].given)
            fb_append(text, sizeof text, "%s%s", *text ? ", " : "", all[i].what);
    }
    if (*text)
        fb_note("assumed, as it is not given: %s", text);
    if (g->sst_sizes && !g->n)
        fb_note("keys are guessed from the sizes of the files; give their number with -n");
}

static int advise(int argc, char **argv)
{
    struct given g = {.run = {.name = "advise", .argc = argc, .argv = argv}};
    struct fb_run_options *r = &g.run;
    const struct fb_opt opts[] = {{"keys", 'k', FB_OPT_TEXT, &r->keys, 0, 0},
                                  {"keys-format", 0, FB_OPT_TEXT, &r->keys_format, 0, 0},
                                  {"n", 'n', FB_OPT_TEXT, &g.n, 0, 0},
                                  {"bits-per-key", 'b', FB_OPT_TEXT, &g.bits, 0, 0},
                                  {"memory", 0, FB_OPT_TEXT, &g.memory, 0, 0},
                                  {"memory-price", 0, FB_OPT_TEXT, &g.price, 0, 0},
                                  {"dollars", 0, FB_OPT_TEXT, &g.dollars, 0, 0},
                                  {"db", 0, FB_OPT_TEXT, &g.db.folder, 0, 0},
                                  {"column-family", 0, FB_OPT_TEXT, &g.db.family, 0, 0},
                                  {"tree", 0, FB_OPT_TEXT, &g.tree, 0, 0},
                                  {"sst-sizes", 0, FB_OPT_TEXT, &g.sst_sizes, 0, 0},
                                  {"value-bytes", 0, FB_OPT_TEXT, &g.value_bytes, 0, 0},
                                  {"absent", 0, FB_OPT_TEXT, &g.absent, 0, 0},
                                  {"io", 0, FB_OPT_TEXT, &g.io.io, 0, 0},
                                  {"device", 0, FB_OPT_TEXT, &g.io.io, 0, 0},
                                  {"filter-residency", 0, FB_OPT_TEXT, &g.io.residency, 0, 0},
                                  {"reads", 0, FB_OPT_TEXT, &g.io.reads, 0, 0},
                                  {"cache", 0, FB_OPT_TEXT, &g.cache, 0, 0},
                                  {"key-skew", 0, FB_OPT_TEXT, &g.skew, 0, 0},
                                  {"from-rocksdb-stats", 0, FB_OPT_TEXT, &g.stats, 0, 0},
                                  {"designs", 'd', FB_OPT_TEXT, &g.designs, 0, 0},
                                  {"from", 0, FB_OPT_TEXT, &g.from, 0, 0},
                                  {"engine", 0, FB_OPT_TEXT, &g.engine, 0, 0},
                                  {"all-designs", 0, FB_OPT_FLAG, &g.all_designs, 0, 0},
                                  {"again", 0, FB_OPT_TEXT, &g.again, 0, 0},
                                  {"prove", 0, FB_OPT_FLAG, &g.prove, 0, 0},
                                  {"removal", 0, FB_OPT_FLAG, &g.removal, 0, 0},
                                  {"build-bytes", 0, FB_OPT_DOUBLE, &g.build_bytes, 0, 1e6},
                                  {"queries", 0, FB_OPT_TEXT, &g.queries, 0, 0},
                                  {"budget", 0, FB_OPT_TEXT, &g.budget, 0, 0},
                                  {"seed", 0, FB_OPT_TEXT, &g.seed, 0, 0},
                                  {"threads", 0, FB_OPT_COUNT, &r->threads, 1, 1024},
                                  {"set", 0, FB_OPT_TEXTS, &g.set, 0, 0},
                                  {"show-experiment", 0, FB_OPT_FLAG, &r->show, 0, 0},
                                  {"dry-run", 0, FB_OPT_FLAG, &r->dry_run, 0, 0},
                                  {"output", 'o', FB_OPT_TEXT, &r->output, 0, 0},
                                  {"resume", 0, FB_OPT_FLAG, &r->resume, 0, 0},
                                  {"format", 0, FB_OPT_FORMAT, &r->format, 0, 0},
                                  {0}};
    if (!fb_opt_parse(argc, argv, opts, 0) ||
        fb_opt_wrong(!r->keys && !g.n && !g.sst_sizes && !g.db.folder && !g.again, "advise",
                     "which keys? give --db DIR, --keys FILE, --n N, or --sst-sizes FILE") ||
        fb_opt_wrong(g.again && (r->keys || g.n || g.sst_sizes || g.db.folder || g.tree), "advise",
                     "--again is about the keys and the tree of FILE; leave --db, --keys, -n, "
                     "--sst-sizes and --tree out") ||
        fb_opt_wrong(g.again && (r->dry_run || r->show || r->resume), "advise",
                     "--again runs nothing; leave --dry-run, --show-experiment and --resume out") ||
        fb_opt_wrong(g.db.family && !g.db.folder, "advise",
                     "--column-family is of a database; give it with --db") ||
        fb_opt_wrong(g.db.folder && (g.tree || g.sst_sizes || g.n), "advise",
                     "--db tells the tree and its keys; leave --tree, --sst-sizes and -n out") ||
        fb_opt_wrong(!r->keys && r->keys_format, "advise",
                     "--keys-format is for a file of keys; give it with --keys") ||
        fb_opt_wrong(g.bits && g.memory, "advise",
                     "--bits-per-key and --memory exclude each other; give one of them") ||
        fb_opt_wrong(g.price && g.dollars, "advise",
                     "--memory-price and --dollars exclude each other; give one of them") ||
        fb_io_wrong("advise", &g.io, &g.set) ||
        fb_opt_wrong(g.tree && g.sst_sizes, "advise",
                     "--tree and --sst-sizes exclude each other; give one of them"))
        return FB_EXIT_USAGE;
    const struct fb_kind *kind = fb_kind_find("advise");
    json_auto_t *fields = json_pack("{s:s}", "kind", "advise");
    enum fb_exit code = FB_EXIT_OK;
    if (g.db.folder)
        code = fb_database_take(&g.db, r, fields);
    if (!g.again)
        kind->prepare(fields, r);
    r->io = fb_io_file(&g.io);
    if (g.io.residency)
        json_object_set_new(fields, "filter_residency", json_string(g.io.residency));
    else if (r->io && *fb_json_str(fields, "filter_residency"))
        g.io.residency = fb_json_str(fields, "filter_residency");
    if (!code && g.stats)
        code = read_stats(g.stats, !g.absent, fields);
    if (!code && g.sst_sizes)
        code = read_sizes(g.sst_sizes, fields);
    if (!code)
        code = fb_io_read(&g.io, g.engine && strcmp(g.engine, "any") != 0 ? g.engine : "", fields);
    if (!code && (!set_fields(&g, fields) || !fb_experiment_set_all(fields, &g.set)))
        code = FB_EXIT_USAGE;
    if (!code && g.again)
        code = fb_again(g.again, r, fields);
    else if (!code)
        code = fb_run_experiment(kind, r, fields, NULL);
    if (!code && !r->show && !g.again)
        tell_assumed(&g);
    fb_database_close(&g.db);
    return (int)code;
}

const struct fb_verb fb_verb_advise = {
    .name = "advise",
    .example = "filterbench advise --db /var/lib/app/rocksdb --absent 0.7 --io nvme",
    .usage = "advise --db DIR | --keys FILE | --n N | --again RESULT.json [options]",
    .summary = "Say which filter to use for your keys, memory, tree and disk",
    .help = "Your database:\n"
            "--db DIR\tyour database of RocksDB or LevelDB. It tells the tree, its keys and its "
            "filters. "
            "It may be open elsewhere; nothing is written into it\n"
            "--column-family NAME\tread this column family of a RocksDB (the one called default)\n"
            "\n"
            "Keys:\n"
            "-k, --keys FILE\tyour keys: half are in the tree, the other half are looked up "
            "as absent keys\n"
            "--keys-format F\tlines (default), csv:COLUMN and others, as for build\n"
            "-n, --n N\thow many keys the tree has; with --keys, rates come from your keys, "
            "and sizes and costs are for N\n"
            "\n"
            "Memory (if you give none of these, as much as still pays for itself):\n"
            "-b, --bits-per-key B\tthe most memory for filters, in bits per key of the tree\n"
            "--memory M\tthe most memory for filters in all, such as 512Mi\n"
            "--memory-price NS\tthe least time, in ns per query, that one more byte of filter "
            "must save\n"
            "--dollars M,R,Q\tthe same as money, and prints dollars per month: dollars per GB "
            "and month, dollars per read, and queries per second\n"
            "\n"
            "Tree:\n"
            "--tree T\tleveled (default), tiered, lazy or universal, as "
            "leveled,T=10,L=5,l0=4,file=64Mi; without L, as many levels as the keys need\n"
            "--sst-sizes FILE\tyour SST files, one per line: BYTES LEVEL, or what `du -b "
            "*.sst` prints; files without a level may overlap all others\n"
            "--value-bytes N\tmean size of a value (100)\n"
            "\n"
            "Queries and disk:\n"
            "--absent A\tshare of queries for absent keys: 0.7, 0.3..0.9 or 0.7:0.3..0.9 (0.5)\n"
            "--key-skew P\thow often each present key is looked up: uniform (default), zipf:0.99\n"
            "--io D\twhat a read costs: nvme, optane, sata, hdd, s3, pagecache, 100us "
            "(default) or measured:FOLDER; or a FILE of 'engine cost'\n"
            "--filter-residency R\twith it: filters pinned (default), cached or partitioned\n"
            "--reads R\twith it: page-cache (default), mapped, direct or block-cache\n"
            "--cache SIZE\tsize of the block cache, such as 256Mi (none)\n"
            "--from-rocksdb-stats FILE\tRocksDB's LOG or statistics: takes the share of "
            "absent keys and the FPR of today's filters from it\n"
            "\n"
            "Filters:\n"
            "-d, --designs A,B\tcompare only these designs (default: those that an engine has)\n"
            "--from D[,BITS]\tyour filter of today, rocksdb-fastlocal,10: show what each "
            "setting saves beside it\n"
            "--engine E\tonly filters that this engine has: rocksdb, leveldb, fjall, parquet "
            "or pebble\n"
            "--all-designs\tcompare designs that the engine does not have too, and say apart "
            "what they would save\n"
            "--removal\tonly filters that can remove keys\n"
            "--build-bytes B\tthe most memory that a build may use beside the filter, in "
            "bytes per key\n"
            "\n"
            "Measurement:\n"
            "--queries N\tqueries counted for each finalist (1000000)\n"
            "--budget T\tseconds for timing (30)\n"
            "--threads N\tthreads that count and build (default: one per core)\n"
            "--seed HEX\troot of all keys and queries\n"
            "--set FIELD=VALUE\tany field of the experiment, as JSON or text\n"
            "--show-experiment\tprint the question with every field, and run nothing\n"
            "--dry-run\tprint the designs that would be compared, and why others are not\n"
            "\n"
            "Output:\n"
            "-o, --output FILE\tthe result document (results/runs/advise.json)\n"
            "--resume\tcontinue a run that ended early\n"
            "--prove\tmeasure the answer in RocksDB or LevelDB itself, beside today's setting\n"
            "--again FILE\task a result again with other inputs\n"
            "--format table|json\twhat to print on stdout (table)\n"
            "\n"
            "The answer rests on four runs. The first counts the FPR of every design on "
            "your keys. The second counts it at 1 to 16 bits per key. Designs that miss their "
            "theory by more than a tenth are dropped. The third times all designs in such a "
            "tree. The fourth counts reads and times of the best.\n"
            "\n"
            "The setting to use is the smallest that costs at most 5 % more than the cheapest. "
            "Your setting of today stays where it is as good.\n"
            "\n"
            "Confidence comes from 2000 resamples of all that is uncertain. It is HIGH if the "
            "setting costs at most 5 % more than the best in 95 % of them. The best is the "
            "cheapest setting that takes no more memory. Confidence "
            "is MEDIUM from 80 % on, or where the time of a read is assumed. Else it is LOW.\n"
            "\n"
            "--again RESULT.json asks what was measured again, with another --io, --absent, "
            "--memory, -b, --memory-price, --dollars or --from. It answers at once and writes "
            "only where you name an output.\n",
    .main = advise,
    .polls_interrupt = true,
};
