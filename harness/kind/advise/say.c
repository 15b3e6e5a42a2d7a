/* The card: the answer in five lines that can be repeated to a colleague. */
#include <ctype.h>
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
    FB_EACH(row, json_object_get(answer, "ranking"))
        if (json_is_true(json_object_get(row, flag)))
            return row;
    return NULL;
}

/* "28 % less", "3 % more", "as much" */
static void compare(double to, double from, char out[32])
{
    const double more = 100 * (to / from - 1);
    if (fabs(more) < 0.5 || !isfinite(more))
        strcpy(out, "as much");
    else
        snprintf(out, 32, fabs(more) < 99.5 ? "%.2g %% %s" : "%.0f %% %s", fabs(more),
                 more > 0 ? "more" : "less");
}

static void say_setting(const json_t *answer, const json_t *pick, struct fb_card *card)
{
    char what[160];
    describe(pick, what);
    const char *says = !strcmp(fb_json_str(answer, "proof.verdict"), "refuted")
                           ? "No recommendation: the engine refuted %s."
                       : json_is_true(json_object_get(pick, "present")) ? "Keep what you have: %s."
                                                                        : "Use %s.";
    fb_card_set(card, FB_CARD_ANSWER, says, what);
}

static void say_saving(const json_t *answer, const json_t *pick, struct fb_card *card)
{
    const json_t *present = row_with(answer, "present");
    const double value = fb_json_num(pick, "cost_ns.value");
    char cost[32], bytes[32], time[32], memory[32], without[32];
    fb_advise_time(value, cost);
    fb_advise_time(fb_json_num(answer, "without_ns"), without);
    show_bytes(fb_json_num(pick, "bytes"), bytes);
    if (present && pick != present) {
        compare(value, fb_json_num(present, "cost_ns.value"), time);
        compare(fb_json_num(pick, "bytes"), fb_json_num(present, "bytes"), memory);
        fb_card_set(card, FB_CARD_AMOUNT, "A query takes %s, %s %s today. Filters take %s, %s.",
                    cost, time, strcmp(time, "as much") ? "than" : "as", bytes, memory);
    } else if (!*fb_json_str(pick, "design")) {
        fb_card_set(card, FB_CARD_AMOUNT, "A query takes %s.", cost);
    } else {
        fb_card_set(card, FB_CARD_AMOUNT,
                    "A query takes %s, the filters of %.0f keys %s. Without: %s.", cost,
                    fb_json_num(answer, "n"), bytes, without);
    }
}

static void say_confidence(const json_t *answer, struct fb_card *card)
{
    const char *verdict = fb_json_str(answer, "proof.verdict"),
               *confidence = fb_json_str(answer, "confidence");
    const char *why = fb_json_str(answer, "why");
    if (*why && fb_json_num(answer, "p") >= 0.95 && !*verdict) /* what keeps it from HIGH */
        fb_card_set(card, FB_CARD_SURE, "Confidence %s, not HIGH: %c%.*s.", confidence,
                    tolower((unsigned char)*why), (int)strcspn(why, ",;") - 1, why + 1);
    else if (*verdict)
        fb_card_set(card, FB_CARD_SURE, "Confidence %s. %s %s itself, asked with %.0f keys: %s.",
                    confidence, fb_json_str(answer, "proof.engine"),
                    fb_json_str(answer, "proof.version"), fb_json_num(answer, "proof.n"), verdict);
    else
        fb_card_set(card, FB_CARD_SURE,
                    "Confidence %s: within 5 %% of the best in %.3g %% of %d resamples.",
                    confidence, 100 * fb_json_num(answer, "p"), FB_RESAMPLES);
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
        fb_append(what, sizeof what, ", and 2 %% further %s", describe(after, further));
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

/* The change that is nearest, as a ratio; NULL: there is none. */
static const json_t *nearest_flip(const json_t *answer)
{
    const json_t *nearest = NULL;
    double least = INFINITY;
    FB_EACH(flip, json_object_get(answer, "flips")) {
        const double here = fb_json_num(answer, fb_json_str(flip, "input")),
                     ratio = fb_json_num(flip, "at") / here, away = ratio < 1 ? 1 / ratio : ratio;
        if (!nearest || away < least) {
            least = away;
            nearest = flip;
        }
    }
    return nearest;
}

/* Of a line that is full the interval is left out, and then the setting. */
static void say_change(const json_t *flip, struct fb_card *card)
{
    const bool reads = !strcmp(fb_json_str(flip, "input"), "read_ns"),
               below = !strcmp(fb_json_str(flip, "side"), "below");
    static const char *const members[] = {"at", "low", "high"};
    char ends[3][32], interval[80], what[160];
    if (!flip) {
        fb_card_set(card, FB_CARD_CHANGE,
                    "No read time and no share of absent keys changes the setting.");
        return;
    }
    for (int i = 0; i < 3; i++)
        if (reads)
            fb_advise_time(fb_json_num(flip, members[i]), ends[i]);
        else
            snprintf(ends[i], sizeof ends[i], "%.3g %%", 100 * fb_json_num(flip, members[i]));
    snprintf(interval, sizeof interval, " (%s to %s)", ends[1], ends[2]);
    describe(json_object_get(flip, "next"), what);
    for (int spare = 0; spare < 3; spare++) {
        fb_card_set(card, FB_CARD_CHANGE, "%s %s %s%s, use %s.", below ? "Below" : "Above", ends[0],
                    reads ? "a read" : "absent keys", spare ? "" : interval,
                    spare < 2 ? what : "another setting (--verbose)");
        if (strlen(card->part[FB_CARD_CHANGE]) <= FB_CARD_COLUMNS)
            break;
    }
}

/* Asks again where the nearest change has surely come. */
static void say_next(const json_t *flip, const json_t *pick, const char *path, struct fb_card *card)
{
    const bool reads = strcmp(fb_json_str(flip, "input"), "absent") != 0,
               below = !strcmp(fb_json_str(flip, "side"), "below");
    char word[FB_CARD_TEXT];
    const double end = flip ? fb_json_num(flip, below ? "low" : "high") : 5000;
    if (path && reads)
        fb_card_set(card, FB_CARD_NEXT, "filterbench advise --again %s --io %.3gus", path,
                    end / 1e3);
    else if (path)
        fb_card_set(card, FB_CARD_NEXT, "filterbench advise --again %s --absent %.3g", path,
                    fmin(1, fmax(0, end)));
    else if (*fb_json_str(pick, "design"))
        fb_card_set(card, FB_CARD_NEXT, "filterbench describe %s",
                    fb_card_quoted(fb_json_str(pick, "design"), word));
    else
        fb_card_set(card, FB_CARD_NEXT, "filterbench list devices");
}

static void fill(const json_t *answer, const char *path, struct fb_card *card)
{
    const json_t *pick = row_with(answer, "pick"), *flip = nearest_flip(answer);
    if (!pick)
        return;
    say_setting(answer, pick, card);
    say_saving(answer, pick, card);
    say_confidence(answer, card);
    say_change(flip, card);
    say_next(flip, pick, path, card);
}

void fb_advise_card(const json_t *document, const char *path, struct fb_card *card)
{
    fill(json_object_get(document, "answer"), path, card);
    card->verdict = fb_json_str(document, "answer.confidence");
}

void fb_advise_say(json_t *answer)
{
    struct fb_card card = {0};
    FB_EACH(flip, json_object_get(answer, "flips"))
        json_object_set_new(flip, "text", flip_text(flip));
    fill(answer, NULL, &card);
    json_object_set_new(answer, "card", fb_card_lines(&card));
}
