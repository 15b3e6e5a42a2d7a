/* Kind "attack" of experiments. */
#include <string.h>

#include "harness/document/cells.h"
#include "harness/kind/attack/attack.h"

static void prepare(json_t *given, const struct fb_run_options *o)
{
    static const char quick[] =
        "{\"n\": 5000, \"filters\": 4, \"probes\": 5000, \"tries\": 262144, \"found\": 200}";
    if (o->quick)
        json_object_update_new(given, json_loads(quick, 0, NULL));
}

static json_t *plan(const void *self)
{
    const struct fb_attack_plan *p = self;
    json_t *rows = json_array();
    for (size_t i = 0; i < p->n_cells; i++)
        json_array_append_new(
            rows, json_pack("{s:s, s:s?}", "id", p->cells[i].id, "why_not", p->cells[i].why));
    return rows;
}

/* A build may refuse what can be planned. */
static json_t *ids(void *self, const json_t *document, struct fb_problem *problem)
{
    const struct fb_attack_plan *p = self;
    json_t *ids = json_object();
    (void)document, (void)problem;
    for (size_t i = 0; i < p->n_cells; i++)
        json_object_set_new(ids, p->cells[i].id, p->cells[i].why ? json_false() : json_null());
    return ids;
}

static const char *contradiction(void *self, size_t number, const json_t *cell)
{
    const struct fb_attack_plan *p = self;
    return fb_attack_contradiction(p, &p->cells[number], cell);
}

static json_t *exact(const json_t *cell)
{
    static const char *const members[] = {"id", "design", "hash",   "attack", "bits_per_key",
                                          "n",  "keys",   "filter", "counts", NULL};
    return fb_json_members(cell, members);
}

static const struct fb_sharing sharing = {.why_whole =
                                              "an attack is searched once for all its hashes"};

static const char *const options[] = {"threads", "quick", NULL};

static const struct fb_cells_figure passed = {"attack",
                                              .value = "attacked.rate",
                                              .low = "attacked.interval.low",
                                              .high = "attacked.interval.high",
                                              .reference = "random.rate",
                                              .more = "verdict",
                                              .scale = 100};
static const struct fb_figure figures[] = {
    {"attack-cells", "share of an attacker's keys that pass, a row for each attack",
     .cells = &passed, .needs = "a result of kind attack in which an attack found keys"},
    {0},
};

const struct fb_kind fb_kind_attack = {
    .name = "attack",
    .example = "-d leveldb,rocksdb-fastlocal --quick",
    .summary = "keys that an attacker chooses: how many pass, of which designs and hashes",
    .unit = "attacks",
    .fields = fb_attack_fields,
    .options = options,
    .prepare = prepare,
    .self_bytes = sizeof(struct fb_attack_plan),
    .open = fb_attack_plan_open,
    .close = fb_attack_plan_close,
    .plan = plan,
    .piece = fb_attack_piece,
    .run = fb_attack_run,
    .ids = ids,
    .contradiction = contradiction,
    .derive = fb_attack_derive,
    .exact = exact,
    .card = fb_attack_card,
    .table = fb_attack_table,
    .sharing = &sharing,
    .figures = figures,
};
