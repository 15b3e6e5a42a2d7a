#include "harness/measure/caches.h"

#include "harness/base/environment.h"
#include "harness/base/json.h"

void fb_caches_detect(struct fb_caches *out)
{
    json_auto_t *named = fb_environment_caches();
    const struct {
        const char *name, *other;
        uint64_t guess, *bytes;
    } levels[] = {{"l1d", "l1", UINT64_C(48) << 10, &out->l1d_bytes},
                  {"l2", "l2d", UINT64_C(1) << 20, &out->l2_bytes},
                  {"l3", "l3d", UINT64_C(32) << 20, &out->l3_bytes}};
    out->assumed = false;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        const json_t *bytes = json_object_get(named, levels[i].name);
        if (!bytes)
            bytes = json_object_get(named, levels[i].other);
        *levels[i].bytes = (uint64_t)json_integer_value(bytes);
        if (*levels[i].bytes)
            continue;
        *levels[i].bytes = levels[i].guess;
        out->assumed = true;
    }
}

json_t *fb_caches_json(const struct fb_caches *c)
{
    return json_pack("{s:I, s:I, s:I, s:b}", "l1d_bytes", (json_int_t)c->l1d_bytes, "l2_bytes",
                     (json_int_t)c->l2_bytes, "l3_bytes", (json_int_t)c->l3_bytes, "assumed",
                     c->assumed);
}

void fb_caches_read(const json_t *json, struct fb_caches *out)
{
    out->l1d_bytes = fb_json_uint(json, "l1d_bytes");
    out->l2_bytes = fb_json_uint(json, "l2_bytes");
    out->l3_bytes = fb_json_uint(json, "l3_bytes");
    out->assumed = json_is_true(json_object_get(json, "assumed"));
}
