#include "harness/filter/own_words.h"

#include <stdlib.h>

#include "harness/base/json.h"

json_t *fb_own_words_json(const struct fb_design *design, const struct fb_geometry *geom)
{
    json_t *own = design->own ? json_object() : NULL;
    for (size_t i = 0; own && design->own[i] && i < FB_OWN_WORDS; i++)
        json_object_set_new(own, design->own[i], fb_json_word(geom->own[i]));
    return own;
}

void fb_own_words_read(const struct fb_design *design, const json_t *own, struct fb_geometry *geom)
{
    for (size_t i = 0; design->own && design->own[i] && i < FB_OWN_WORDS; i++)
        geom->own[i] = strtoull(fb_json_str(own, design->own[i]), NULL, 16);
}
