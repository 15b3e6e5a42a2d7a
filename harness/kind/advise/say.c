/* The card: the answer in five lines that can be repeated to a colleague. */
#include <math.h>
#include <string.h>

#include "harness/kind/advise/advise.h"

void fb_advise_time(double ns, char out[32])
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    size_t unit = 0;
    for (; ns >= 1e3 && unit < 3; unit++)
        ns /= 1e3;
    snprintf(out, 32, "%.3g %s", ns, units[unit]);
}

static void show_bytes(double bytes, char out[32])
{
    const bool mb = bytes >= 1e6, gb = bytes >= 1e9;
    snprintf(out, 32, "%.3g %s", bytes / (gb ? 1e9 : mb ? 1e6 : 1e3), gb ? "GB" : mb ? "MB" : "kB");
}

/* "rocksdb-ribbon at 10 bits per key, none in the last level" */
static const char *describe(const json_t *filter, char out[160])
{
    const char *split = fb_json_str(filter, "allocation");
    if (*fb_json_str(filter, "design"))
        snprintf(out, 160, "%.60s at %.4g bits per key%s", fb_json_str(filter, "design"),
                 fb_json_num(filter, "bits_per_key"),
                 !strcmp(split, "optimal")     ? ", split over the levels"
                 : !strcmp(split, "drop-last") ? ", none in the last level"
                                               : "");
    else
        strcpy(out, "no filter");
    return out;
}

static const json_t *row_with(const json_t *answer, const char *flag)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(answer, "ranking"), i, row)
        if (json_is_true(json_object_get(row, flag)))
            return row;
    return NULL;
}

/* "28 % less", "3 % more", "as much" */
static const char *compare(double to, double from, char out[32])
{
    const double more = 100 * (to / from - 1);
    if (fabs(more) < 0.5 || !isfinite(more))
        strcpy(out, "as much");
    else
        snprintf(out, 32, fabs(more) < 99.5 ? "%.2g %% %s" : "%.0f %% %s", fabs(more),
                 more > 0 ? "more" : "less");
    return out;
}

static json_t *setting_line(const json_t *answer)
{
    const json_t *pick = row_with(answer, "pick");
    char what[160], cost[32], bytes[32];
    fb_advise_time(fb_json_num(pick, "cost_ns.value"), cost);
    show_bytes(fb_json_num(pick, "bytes"), bytes);
    describe(pick, what);
    if (!strcmp(fb_json_str(answer, "proof.verdict"), "refuted"))
        return json_sprintf("No recommendation: the engine refuted %s (below).", what);
    if (json_is_true(json_object_get(pick, "present")))
        return json_sprintf("Keep what you have: %s. A query takes %s; the filters take %s.", what,
                            cost, bytes);
    if (!*fb_json_str(pick, "design"))
        return json_sprintf("Use no filter. A query takes %s.", cost);
    return json_sprintf("Use %s. A query takes %s; the filters take %s.", what, cost, bytes);
}

static json_t *saving_line(const json_t *answer)
{
    const json_t *pick = row_with(answer, "pick"), *present = row_with(answer, "present");
    const double cost = fb_json_num(pick, "cost_ns.value");
    char what[160], time[32], memory[32], without[32];
    fb_advise_time(fb_json_num(answer, "without_ns"), without);
    if (!present || pick == present)
        return json_sprintf("Without filters a query takes %s: %.3g times as long.", without,
                            fb_json_num(answer, "without_ns") / cost);
    return json_sprintf("Today's setting is %s. The change takes %s time and %s memory.",
                        describe(present, what),
                        compare(cost, fb_json_num(present, "cost_ns.value"), time),
                        compare(fb_json_num(pick, "bytes"), fb_json_num(present, "bytes"), memory));
}

static json_t *confidence_line(const json_t *answer)
{
    const char *why = fb_json_str(answer, "why");
    return json_sprintf("Confidence %s: in %.3g %% of %d resamples it costs at most 5 %% more than "
                        "the best of no more memory.%s%s%s",
                        fb_json_str(answer, "confidence"), 100 * fb_json_num(answer, "p"),
                        FB_RESAMPLES, *why ? " " : "", why, *why ? "." : "");
}

/* "If a read takes less than 14 us (12 to 16): rocksdb-ribbon at 9 bits per key" */
static json_t *flip_text(const json_t *flip)
{
    const bool reads = !strcmp(fb_json_str(flip, "input"), "read_ns"),
               below = !strcmp(fb_json_str(flip, "side"), "below");
    char at[32], low[32], high[32], what[400], further[160];
    const json_t *next = json_object_get(flip, "next"), *after = json_object_get(flip, "after");
    describe(next, what);
    if (!json_equal(next, after))
        snprintf(what + strlen(what), sizeof what - strlen(what), ", and 2 %% further %s",
                 describe(after, further));
    if (reads) {
        fb_advise_time(fb_json_num(flip, "at"), at);
        fb_advise_time(fb_json_num(flip, "low"), low);
        fb_advise_time(fb_json_num(flip, "high"), high);
        return json_sprintf("If a read takes %s than %s (90 %%: %s to %s): %s",
                            below ? "less" : "more", at, low, high, what);
    }
    return json_sprintf(
        "If %s than %.3g %% of the queries are for absent keys (90 %%: %.3g to %.3g): %s",
        below ? "fewer" : "more", 100 * fb_json_num(flip, "at"), 100 * fb_json_num(flip, "low"),
        100 * fb_json_num(flip, "high"), what);
}

/* The change of a read's time that is nearest, as a ratio, is named first. */
static json_t *change_line(const json_t *answer)
{
    const double read = fb_json_num(answer, "read_ns");
    const json_t *nearest = NULL;
    double least = INFINITY;
    size_t i, n = json_array_size(json_object_get(answer, "flips"));
    json_t *flip;
    json_array_foreach(json_object_get(answer, "flips"), i, flip) {
        const bool reads = !strcmp(fb_json_str(flip, "input"), "read_ns");
        const double here = reads ? read : fb_json_num(answer, "absent"),
                     ratio = fb_json_num(flip, "at") / here, away = ratio < 1 ? 1 / ratio : ratio;
        if (!nearest || away < least) {
            least = away;
            nearest = flip;
        }
    }
    if (!nearest)
        return json_string("No read time and no share of absent keys changes the setting.");
    const char *more = n > 1 ? " More below." : "";
    return json_sprintf("What would change it: %s.%s", fb_json_str(nearest, "text"), more);
}

static json_t *proof_line(const json_t *answer)
{
    const char *verdict = fb_json_str(answer, "proof.verdict");
    if (*verdict)
        return json_sprintf(
            "%s %s itself, asked with %.0f keys: %s.", fb_json_str(answer, "proof.engine"),
            fb_json_str(answer, "proof.version"), fb_json_num(answer, "proof.n"), verdict);
    return json_string("To prove it in RocksDB or LevelDB itself, ask with --prove. To ask with "
                       "other inputs: filterbench advise --again RESULT.json --io 5us");
}

void fb_advise_say(json_t *answer)
{
    size_t i;
    json_t *flip, *card = json_array();
    json_array_foreach(json_object_get(answer, "flips"), i, flip)
        json_object_set_new(flip, "text", flip_text(flip));
    json_array_append_new(card, setting_line(answer));
    json_array_append_new(card, saving_line(answer));
    json_array_append_new(card, confidence_line(answer));
    json_array_append_new(card, change_line(answer));
    json_array_append_new(card, proof_line(answer));
    json_object_set_new(answer, "card", card);
}
