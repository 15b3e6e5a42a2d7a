#include "harness/kind/lsm/fields.h"

#include <string.h>

#include "filters/lookup/lookup.h"
#include "harness/kind/lsm/lsm.h"

/* ---- Names of enumerations ---- */

enum { MOST_NAMES = 31 };

/* NOLINTBEGIN(bugprone-macro-parentheses): a type */
#define NAMES_OF(function, type)                                                                   \
    static const char *function##_at(unsigned i)                                                   \
    {                                                                                              \
        return function((enum type)i);                                                             \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
NAMES_OF(fb_style_name, fb_style)
NAMES_OF(fb_filter_unit_name, fb_filter_unit)
NAMES_OF(fb_order_name, fb_order)
NAMES_OF(fb_absent_kind_name, fb_absent_kind)
NAMES_OF(fb_cache_policy_name, fb_cache_policy)
NAMES_OF(fb_residency_name, fb_residency)
NAMES_OF(fb_allocation_name, fb_allocation)

static const char *lookup_at(unsigned i)
{
    return fb_lookups[i] ? fb_lookups[i]->name : NULL;
}

static json_t *read_enum(struct fb_problem *problem, const char *what, const char *path,
                         const json_t *given, const char *(*name)(unsigned), bool all)
{
    const char *names[MOST_NAMES + 1] = {0};
    for (unsigned i = 0; i < MOST_NAMES && name(i); i++)
        names[i] = name(i);
    return fb_read_one_of(problem, what, path, given, names, all);
}

static json_t *read_style(struct fb_problem *problem, const struct fb_field *f, const char *path,
                          const json_t *given)
{
    (void)f;
    return read_enum(problem, "style", path, given, fb_style_name_at, false);
}

json_t *fb_lsm_read_unit(struct fb_problem *problem, const struct fb_field *f, const char *path,
                         const json_t *given)
{
    (void)f;
    return read_enum(problem, "filter unit", path, given, fb_filter_unit_name_at, false);
}

static json_t *read_order(struct fb_problem *problem, const struct fb_field *f, const char *path,
                          const json_t *given)
{
    (void)f;
    return read_enum(problem, "order", path, given, fb_order_name_at, false);
}

json_t *fb_lsm_read_policy(struct fb_problem *problem, const struct fb_field *f, const char *path,
                           const json_t *given)
{
    (void)f;
    return read_enum(problem, "cache policy", path, given, fb_cache_policy_name_at, false);
}

static json_t *read_residency(struct fb_problem *problem, const struct fb_field *f,
                              const char *path, const json_t *given)
{
    (void)f;
    return read_enum(problem, "residency", path, given, fb_residency_name_at, false);
}

json_t *fb_lsm_read_index_residency(struct fb_problem *problem, const struct fb_field *f,
                                    const char *path, const json_t *given)
{
    const char *name = json_string_value(given);
    if (name && !strcmp(name, fb_residency_name(FB_PARTITIONED)))
        return fb_reject_value(problem, f, path, given);
    return read_residency(problem, f, path, given);
}

static json_t *read_absent_kind(struct fb_problem *problem, const struct fb_field *f,
                                const char *path, const json_t *given)
{
    (void)f;
    return read_enum(problem, "absent kind", path, given, fb_absent_kind_name_at, true);
}

static json_t *read_allocation(struct fb_problem *problem, const struct fb_field *f,
                               const char *path, const json_t *given)
{
    (void)f;
    return read_enum(problem, "allocation", path, given, fb_allocation_name_at, true);
}

static json_t *read_lookup(struct fb_problem *problem, const struct fb_field *f, const char *path,
                           const json_t *given)
{
    (void)f;
    return read_enum(problem, "lookup", path, given, lookup_at, true);
}

/* ---- Texts with a grammar of their own ---- */

static json_t *refuse_text(struct fb_problem *problem, const char *path, const char *text,
                           const char *why)
{
    fb_refuse(problem, "%s: '%.60s': %s", path, text, why ? why : "not accepted");
    return NULL;
}

static json_t *read_keys(struct fb_problem *problem, const struct fb_field *f, const char *path,
                         const json_t *given)
{
    struct fb_keygen keygen;
    const char *text = json_string_value(given), *why = NULL;
    if (!text)
        return fb_reject_value(problem, f, path, given);
    if (!strcmp(text, "file") || !strcmp(text, "trace") || fb_keygen_parse(text, &keygen, &why))
        return json_string(text);
    return refuse_text(problem, path, text, why);
}

json_t *fb_lsm_read_holder(struct fb_problem *problem, const struct fb_field *f, const char *path,
                           const json_t *given)
{
    struct fb_query_spec spec = {0};
    const char *text = json_string_value(given), *why = NULL;
    if (!text)
        return fb_reject_value(problem, f, path, given);
    return fb_holder_parse(text, &spec, &why) ? json_string(text)
                                              : refuse_text(problem, path, text, why);
}

json_t *fb_lsm_read_popularity(struct fb_problem *problem, const struct fb_field *f,
                               const char *path, const json_t *given)
{
    struct fb_popularity popularity;
    const char *text = json_string_value(given), *why = NULL;
    if (!text)
        return fb_reject_value(problem, f, path, given);
    return fb_popularity_parse(text, &popularity, &why) ? json_string(text)
                                                        : refuse_text(problem, path, text, why);
}

json_t *fb_lsm_read_device(struct fb_problem *problem, const struct fb_field *f, const char *path,
                           const json_t *given)
{
    struct fb_device device = {0};
    const char *text = json_string_value(given), *why = NULL;
    if (!text)
        return fb_reject_value(problem, f, path, given);
    bool known = fb_device_parse(text, &device, &why);
    fb_device_close(&device);
    return known ? json_string(text) : refuse_text(problem, path, text, why);
}

/* ---- Lists, and what is neither ---- */

FB_READ_LIST(fb_lsm_read_counts, fb_read_count)
FB_READ_LIST(fb_lsm_read_sizes, fb_read_size)
FB_READ_LIST(fb_lsm_read_hashes, fb_read_hash)
FB_READ_LIST(fb_lsm_read_styles, read_style)
FB_READ_LIST(fb_lsm_read_residencies, read_residency)
FB_READ_LIST(fb_lsm_read_absent_kinds, read_absent_kind)
FB_READ_LIST(fb_lsm_read_allocations, read_allocation)
FB_READ_LIST(fb_lsm_read_lookups, read_lookup)
FB_READ_LIST(fb_lsm_read_formats, read_keys)
FB_READ_LIST(fb_lsm_read_orders, read_order)
FB_READ_LIST(fb_lsm_read_prefixes, fb_lsm_read_prefix)
FB_READ_LIST(fb_lsm_read_flags, fb_read_flag)

/* Levels keep their places: repeats stay. */
json_t *fb_lsm_read_levels(struct fb_problem *problem, const struct fb_field *f, const char *path,
                           const json_t *given)
{
    enum { MOST = 64 };
    json_t *list = json_array();
    if (!json_is_array(given) || json_array_size(given) > MOST) {
        json_decref(list);
        return fb_reject_value(problem, f, path, given);
    }
    for (size_t i = 0; i < json_array_size(given); i++) {
        char at[32];
        const json_t *each = json_array_get(given, i);
        snprintf(at, sizeof at, "%s[%zu]", path, i);
        json_t *value = json_number_value(each) < 0 && json_number_value(each) != -1
                            ? fb_reject_value(problem, f, at, each)
                            : fb_read_real(problem, f, at, each);
        if (!value) {
            json_decref(list);
            return NULL;
        }
        json_array_append_new(list, value);
    }
    return list;
}

json_t *fb_lsm_read_ci(struct fb_problem *problem, const struct fb_field *f, const char *path,
                       const json_t *given)
{
    if (!json_is_object(given))
        return fb_reject_value(problem, f, path, given);
    return json_deep_copy(given);
}
