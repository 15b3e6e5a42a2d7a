#include "harness/measure/group_json.h"

#include "harness/base/json.h"

enum { N_LISTS = 4, N_TIMES = 2 }; /* lists of times come first, lists of counts follow */
static const char *const lists[N_LISTS] = {"samples_ns", "samples_cpu_ns", "sample_retries",
                                           "sample_flags"};

static void add_samples(json_t *time, const struct fb_sample *next, size_t processes, size_t rounds)
{
    for (size_t p = 0; p < processes; p++) {
        json_t *row[N_LISTS];
        for (int i = 0; i < N_LISTS; i++)
            row[i] = json_array();
        for (size_t r = 0; r < rounds; r++, next++) {
            json_array_append_new(row[0], json_real(next->wall_ns));
            json_array_append_new(row[1], json_real(next->cpu_ns));
            json_array_append_new(row[2], fb_json_int(next->retries));
            json_array_append_new(row[3], fb_json_int(next->flags));
        }
        for (int i = 0; i < N_LISTS; i++)
            json_array_append_new(json_object_get(time, lists[i]), row[i]);
    }
}

static const char *clock_name(const struct fb_group *g)
{
    return g->cpu_clock ? "thread_cpu" : "wall";
}

json_t *fb_group_time_json(const struct fb_group *g, size_t member, const char *unit,
                           const char *to, const char *why_none)
{
    static const char *const few = "fewer than 6 processes";
    const struct fb_member *m = &g->members[member];
    const struct fb_estimate *e = &m->estimate;
    const size_t processes = g->parts[m->part].processes;
    json_t *j = json_pack("{s:s, s:s, s:f, s:f, s:f, s:f}", "unit", unit, "clock", clock_name(g),
                          "median", e->ns, "min", e->ns_min, "mean", e->ns_mean, "mad", e->ns_mad);
    fb_json_known(j, "ci95", fb_json_interval(e->ns95.low, e->ns95.high), few);
    fb_json_known(j, "ratio_to", to ? json_string(to) : NULL, why_none);
    fb_json_real(j, "ratio", e->ratio, why_none);
    fb_json_known(j, "ratio_ci95", to ? fb_json_interval(e->ratio95.low, e->ratio95.high) : NULL,
                  to ? few : why_none);
    fb_json_known(j, "ratio_ci99", to ? fb_json_interval(e->ratio99.low, e->ratio99.high) : NULL,
                  to ? "fewer than 8 processes" : why_none);
    json_object_set_new(j, "sd_process", json_real(e->sd_process));
    json_object_set_new(j, "sd_round", json_real(e->sd_round));
    json_object_set_new(j, "retries", fb_json_int(e->retries));
    json_object_set_new(j, "flagged_rounds", fb_json_int(e->flagged));
    json_object_set_new(j, "processes", fb_json_int(processes));
    json_object_set_new(j, "rounds", fb_json_int(g->rounds));
    if (g->independent)
        json_object_set_new(j, "independent", json_true());
    for (int i = 0; i < N_LISTS; i++)
        json_object_set_new(j, lists[i], json_array());
    add_samples(j, m->samples, processes, g->rounds);
    return j;
}

bool fb_group_time_read(const json_t *time, struct fb_group *g, size_t member)
{
    const struct fb_member *m = &g->members[member];
    const size_t processes = g->parts[m->part].processes;
    double x[N_LISTS];
    for (int i = 0; i < N_LISTS; i++)
        if (json_array_size(json_object_get(time, lists[i])) != processes)
            return false;
    for (size_t s = 0; s < processes * g->rounds; s++) {
        for (int i = 0; i < N_LISTS; i++) {
            const json_t *row = json_array_get(json_object_get(time, lists[i]), s / g->rounds);
            const json_t *value = json_array_get(row, s % g->rounds);
            x[i] = json_number_value(value);
            bool fits = i < N_TIMES ? json_is_number(value) && x[i] > 0
                                    : json_is_integer(value) && x[i] >= 0 && x[i] <= UINT32_MAX;
            if (!fits || json_array_size(row) != g->rounds)
                return false;
        }
        m->samples[s] = (struct fb_sample){x[0], x[1], (uint32_t)x[2], (uint32_t)x[3]};
        /* It was repeated, before it was given up. */
        if (m->samples[s].flags & FB_SAMPLE_PREEMPTED && !m->samples[s].retries)
            return false;
    }
    return true;
}

static const json_t *samples_of(const struct fb_group_place *place)
{
    return json_object_get(json_object_get(place->object, place->name), lists[0]);
}

const char *fb_group_read(struct fb_group *g, const struct fb_group_place *places, size_t n,
                          size_t n_parts)
{
    const size_t rounds = n ? json_array_size(json_array_get(samples_of(places), 0)) : 1;
    if (!rounds || rounds > FB_GROUP_ROUNDS)
        return places->id;
    if (fb_group_open(g, n, n_parts, rounds, FB_PAIRED_MAX))
        return "memory for the samples";
    for (size_t i = 0; i < n; i++) {
        const struct fb_group_place *p = &places[i];
        const size_t processes = json_array_size(samples_of(p));
        if (p->part >= n_parts || !processes || processes > FB_PAIRED_MAX || p->to < -1 ||
            (p->to >= 0 && places[p->to].part != p->part))
            return p->id;
        if (!g->parts[p->part].processes)
            g->parts[p->part].processes = processes;
        g->members[i].part = p->part;
        g->members[i].series = p->series;
        g->members[i].to = p->to;
        if (!fb_group_time_read(json_object_get(p->object, p->name), g, i))
            return p->id;
    }
    return fb_group_estimate(g) ? "memory for the estimates" : NULL;
}

void fb_group_write(const struct fb_group *g, const struct fb_group_place *places, const char *unit,
                    const char *why_none)
{
    for (size_t i = 0; i < g->n_members; i++)
        json_object_set_new(places[i].object, places[i].name,
                            fb_group_time_json(g, i, unit, places[i].to_name, why_none));
}

void fb_group_timing_json(const struct fb_group *g, json_t *timing)
{
    json_object_set_new(timing, "processes", fb_json_int(fb_group_processes(g)));
    json_object_set_new(timing, "rounds", fb_json_int(g->rounds));
    json_object_set_new(timing, "clock", json_string(clock_name(g)));
    json_object_set_new(timing, "memory",
                        json_pack("{s:f, s:f}", "ratio", g->memory, "time", g->memory_ns));
    if (g->independent)
        json_object_set_new(timing, "independent", json_true());
    fb_json_real(timing, "widest_half_width", g->half_width, "some ratio has no interval yet");
}

void fb_group_noise_json(const struct fb_group *g, json_t *noise)
{
    size_t n = 0, gaps = 0, preempted = 0, retries = 0;
    for (const struct fb_member *m = g->members; m < g->members + g->n_members; m++) {
        const size_t samples = g->parts[m->part].processes * g->rounds;
        for (const struct fb_sample *s = m->samples; s < m->samples + samples; s++) {
            gaps += (s->flags & FB_SAMPLE_GAP) != 0;
            preempted += (s->flags & FB_SAMPLE_PREEMPTED) != 0;
            retries += s->retries;
        }
        n += samples;
    }
    json_object_set_new(noise, "samples", fb_json_int(n));
    json_object_set_new(noise, "samples_with_gap", fb_json_int(gaps));
    json_object_set_new(noise, "samples_preempted", fb_json_int(preempted));
    json_object_set_new(noise, "batches_repeated", fb_json_int(retries));
}
