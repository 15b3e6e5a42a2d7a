/* The figure of an answer: cost against memory. */
#include <string.h>

#include "harness/kind/advise/advise.h"

/* A line for each candidate that the engine offers; roles stand in the ranking. */
static bool plot_memory(const json_t *documents, FILE *file)
{
    static const char *const same[] = {"design", "allocation", "bits_per_key", NULL};
    size_t n = 0;
    fputs("setting\tdesign\tbytes\tus\trole\tlow\thigh\tsee\n", file);
    FB_EACH(document, documents) {
        const json_t *answer = json_object_get(document, "answer");
        const json_t *ranking = json_object_get(answer, "ranking");
        struct fb_card card = {0};
        if (n) /* one answer a picture */
            break;
        fb_advise_card(document, NULL, &card);
        FB_EACH(row, json_object_get(answer, "evidence")) {
            const char *split = fb_json_str(row, "allocation"), *role = "-";
            const json_t *cost = NULL;
            FB_EACH(ranked, ranking)
                if (fb_json_same(row, ranked, same)) {
                    role = json_is_true(json_object_get(ranked, "pick"))      ? "pick"
                           : json_is_true(json_object_get(ranked, "present")) ? "today"
                                                                              : "row";
                    cost = json_object_get(ranked, "cost_ns");
                }
            if (!json_is_true(json_object_get(row, "offered")) || !*fb_json_str(row, "design"))
                continue;
            const double ns = fb_json_num(row, "cost_ns");
            fprintf(file, "%s%s%s\t%s\t%.6g\t%.6g\t%s\t%.6g\t%.6g\t%s\n",
                    fb_json_str(row, "design"), strcmp(split, "uniform") ? ":" : "",
                    strcmp(split, "uniform") ? split : "", fb_json_str(row, "design"),
                    fb_json_num(row, "bytes"), ns / 1e3, role,
                    (cost ? fb_json_num(cost, "low") : ns) / 1e3,
                    (cost ? fb_json_num(cost, "high") : ns) / 1e3, card.part[FB_CARD_ANSWER]);
            n++;
        }
    }
    return n > 0;
}

const struct fb_figure fb_advise_figures[] = {
    {"advise-memory", "cost of a query against memory, a line for each setting", plot_memory,
     .held = "n", .needs = "a result of advise"},
    {0},
};
