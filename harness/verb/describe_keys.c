#include "harness/verb/describe_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filters/lookup/lookup.h"
#include "harness/store/allocation.h"
#include "harness/store/device.h"
#include "workloads/core/queries.h"
#include "workloads/core/rng.h"

/* The key as text, or in hexadecimal where it is none. */
static json_t *key_json(const uint8_t *key, size_t len)
{
    bool text = true;
    for (size_t i = 0; i < len; i++)
        text = text && key[i] >= ' ' && key[i] <= '~';
    if (text)
        return json_stringn((const char *)key, len);
    char hex[2 * 40 + 4] = "";
    for (size_t i = 0; i < len && i < 40; i++)
        snprintf(hex + 2 * i, 3, "%02x", key[i]);
    if (len > 40)
        strcat(hex, "...");
    return json_string(hex);
}

static json_t *examples_of(const struct fb_keygen *gen)
{
    static const uint64_t indices[] = {0, 1, 2, 999999, 1000000};
    const uint64_t stream = fb_stream_key(1, FB_DOMAIN_KEYS, 0);
    json_t *rows = json_array();
    uint8_t *key = malloc(gen->max_len);
    for (size_t i = 0; key && i < sizeof indices / sizeof *indices; i++) {
        size_t len = gen->write(gen, stream, indices[i], key);
        json_array_append_new(rows, json_pack("{s:I, s:I, s:o}", "index", (json_int_t)indices[i],
                                              "bytes", (json_int_t)len, "key", key_json(key, len)));
    }
    free(key);
    return rows;
}

static json_t *format_json(const char *name)
{
    struct fb_keygen gen;
    const char *why;
    const struct fb_keygen *row = fb_keygens;
    while (row->name && strcmp(row->name, name))
        row++;
    if (!fb_keygen_parse(row->name ? row->text : name, &gen, &why))
        return NULL;
    return json_pack("{s:s, s:s, s:s, s:I, s:b, s:b, s:o}", "format", gen.name, "summary",
                     gen.summary, "example_of", gen.text, "max_bytes", (json_int_t)gen.max_len,
                     "sorted_by_index", gen.ordered, "differs_by_seed", gen.uses_stream, "keys",
                     examples_of(&gen));
}

static json_t *effective_of(struct fb_popularity *p)
{
    static const uint64_t sizes[] = {1000, 1000000, 1000000000};
    json_t *rows = json_array();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t rank;
        fb_popularity_init(p, sizes[i]);
        double top = fb_popularity_top(p, 0, &rank);
        json_array_append_new(rows, json_pack("{s:I, s:f, s:o}", "keys", (json_int_t)sizes[i],
                                              "effective_keys", fb_popularity_effective(p),
                                              "share_of_the_first",
                                              top > 0 ? json_real(top) : json_null()));
    }
    return rows;
}

static json_t *popularity_json(const char *text)
{
    const struct fb_popularity_name *name = fb_popularity_names;
    struct fb_popularity p;
    const char *why;
    if (!fb_popularity_parse(text, &p, &why))
        return NULL;
    while (name->kind != p.kind)
        name++;
    return json_pack("{s:s, s:s, s:o}", "popularity", text, "summary", name->summary, "sizes",
                     effective_of(&p));
}

static json_t *absent_json(const char *name)
{
    for (const struct fb_absent_name *a = fb_absent_names; a->name; a++)
        if (!strcmp(a->name, name))
            return json_pack("{s:s, s:s}", "absent", a->name, "summary", a->summary);
    return NULL;
}

static json_t *lookup_json(const char *name)
{
    const struct fb_lookup *l = fb_lookup_find(name);
    return l ? json_pack("{s:s, s:s, s:b, s:b}", "lookup", l->name, "summary", l->summary,
                         "many_keys_at_a_time", l->batched, "probes_without_branch", l->branch_free)
             : NULL;
}

static json_t *allocation_json(const char *name)
{
    for (unsigned i = 0; fb_allocation_name((enum fb_allocation)i); i++)
        if (!strcmp(fb_allocation_name((enum fb_allocation)i), name))
            return json_pack("{s:s, s:s}", "allocation", name, "filter_memory",
                             fb_allocation_summary((enum fb_allocation)i));
    return NULL;
}

static json_t *device_json(const char *name)
{
    struct fb_device d;
    const char *why;
    if (fb_device_folder(name) || !fb_device_parse(name, &d, &why))
        return NULL;
    return json_pack("{s:s, s:s, s:f, s:f}", "device", d.name, "summary",
                     "a read takes read_ns, what is beyond one block bytes_per_s more", "read_ns",
                     d.read_ns, "bytes_per_s", d.bytes_per_s);
}

static json_t *(*const kinds[])(const char *) = {
    format_json, popularity_json, absent_json, lookup_json, allocation_json, device_json,
};

json_t *fb_describe_keys(const char *name)
{
    json_t *document = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        json_t *one = kinds[i](name);
        if (!document)
            document = json_incref(one);
        else
            json_object_update(document, one); /* "uniform": a popularity and an allocation */
        json_decref(one);
    }
    return document;
}

static const char *format_at(size_t i)
{
    return fb_keygens[i].name;
}

static const char *popularity_at(size_t i)
{
    return fb_popularity_names[i].text;
}

static const char *absent_at(size_t i)
{
    return fb_absent_names[i].name;
}

static const char *lookup_at(size_t i)
{
    return fb_lookups[i] ? fb_lookups[i]->name : NULL;
}

static const char *allocation_at(size_t i)
{
    return fb_allocation_name((enum fb_allocation)i);
}

static const char *device_at(size_t i)
{
    return *fb_devices[i].name ? fb_devices[i].name : NULL;
}

const char *fb_describe_keys_name(size_t i)
{
    static const char *(*const names[])(size_t) = {format_at, popularity_at, absent_at,
                                                   lookup_at, allocation_at, device_at};
    for (size_t kind = 0; kind < sizeof names / sizeof *names; kind++) {
        size_t n = 0;
        while (names[kind](n)) {
            if (n == i)
                return names[kind](n);
            n++;
        }
        i -= n;
    }
    return NULL;
}
