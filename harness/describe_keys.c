#include "harness/describe_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

json_t *fb_describe_keys(const char *name)
{
    json_t *document = format_json(name);
    if (!document)
        document = popularity_json(name);
    return document ? document : absent_json(name);
}

const char *fb_describe_keys_name(size_t i)
{
    const struct fb_keygen *g = fb_keygens;
    const struct fb_popularity_name *p = fb_popularity_names;
    const struct fb_absent_name *a = fb_absent_names;
    for (; g->name && i; g++)
        i--;
    for (; !g->name && p->text && i; p++)
        i--;
    for (; !g->name && !p->text && a->name && i; a++)
        i--;
    return g->name ? g->name : p->text ? p->text : a->name;
}
