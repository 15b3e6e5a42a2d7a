#include "harness/work/turns.h"

#include <stdio.h>

#include "harness/base/json.h"

enum { STEP = 80 };

static const char *name_step(const struct fb_turns *t, size_t number, char step[STEP])
{
    snprintf(step, STEP, "%.40s, process %zu", t->name, number);
    return step;
}

/* [wall_ns, cpu_ns, retries, flags] */
static bool read_sample(const json_t *list, struct fb_sample *out)
{
    const double wall_ns = json_number_value(json_array_get(list, 0));
    const json_int_t retries = json_integer_value(json_array_get(list, 2));
    const json_int_t flags = json_integer_value(json_array_get(list, 3));
    *out = (struct fb_sample){.wall_ns = wall_ns,
                              .cpu_ns = json_number_value(json_array_get(list, 1)),
                              .retries = (uint32_t)retries,
                              .flags = (uint32_t)flags};
    return json_array_size(list) == 4 && wall_ns > 0;
}

bool fb_turns_recall(void *turns, size_t number, struct fb_turn *turn)
{
    const struct fb_turns *t = turns;
    char step[STEP];
    const json_t *record = fb_journal_find(t->journal, name_step(t, number, step));
    const json_t *row = json_object_get(record, "samples");
    bool read =
        record && fb_json_uint(record, "part") == turn->part && json_array_size(row) == turn->n;
    for (size_t i = 0; read && i < turn->n; i++)
        read = read_sample(json_array_get(row, i), &turn->row[i]);
    turn->spent_s = json_number_value(json_object_get(record, "spent_s"));
    turn->executed = json_is_true(json_object_get(record, "executed"));
    return read;
}

bool fb_turns_keep(void *turns, size_t number, const struct fb_turn *turn)
{
    struct fb_turns *t = turns;
    char step[STEP];
    if (!t->journal)
        return true;
    json_t *row = json_array();
    for (size_t i = 0; i < turn->n; i++)
        json_array_append_new(row, json_pack("[f, f, I, I]", turn->row[i].wall_ns,
                                             turn->row[i].cpu_ns, (json_int_t)turn->row[i].retries,
                                             (json_int_t)turn->row[i].flags));
    json_t *record = json_pack("{s:o, s:f, s:b, s:o}", "part", fb_json_int(turn->part), "spent_s",
                               turn->spent_s, "executed", turn->executed, "samples", row);
    t->code = fb_journal_add(t->journal, name_step(t, number, step), record);
    json_decref(record);
    return !t->code;
}
