#include "filters/core/handle.h"

#include <stdlib.h>
#include <string.h>

#include "filters/core/builder.h"
#include "filters/core/version.h"

/* The filter comes first: it is what callers hold. Until it is finished it has the design
 * `collecting`, whose only kernel gives keys to the builder. */
struct handle {
    struct fb_filter filter;
    struct fb_builder builder; /* without a design once the filter is finished, or failed */
    struct fb_design collecting;
};

static _Thread_local const char *reason = "";

static size_t collect(struct fb_filter *f, const uint64_t *digests, size_t n)
{
    struct handle *h = (struct handle *)f;
    const char *why;
    size_t added = 0;
    return h->builder.design && !fb_builder_add(&h->builder, digests, n, &added, &why) ? n : 0;
}

static bool maybe(const struct fb_filter *f, const uint64_t *digest)
{
    (void)f, (void)digest;
    return true;
}

static const struct fb_kernel collector = {
    .isa = FB_ISA_SCALAR, .style = "constant", .query = maybe, .add_batch = collect};
static const struct fb_kernel *const collectors[] = {&collector, NULL};

/* A handle without a filter; NULL: no such design, or no memory. */
static struct handle *new_handle(const char *name, const struct fb_design **design)
{
    *design = name ? fb_design_find(name) : NULL;
    struct handle *h = *design ? calloc(1, sizeof *h) : NULL;
    reason =
        *design ? "out of memory" : "no design of that name: `filterbench list designs` names them";
    return h;
}

/* The handle, or NULL where there was an error. */
static struct fb_filter *checked(struct handle *h, enum fb_err err, const char *why)
{
    reason = why ? why : err ? fb_err_text(err) : "";
    if (!err)
        return &h->filter;
    fb_filter_free(&h->filter);
    return NULL;
}

struct fb_filter *fb_filter_new(const char *name, double bits_per_key, uint64_t n_keys)
{
    const struct fb_params params = {.bits_per_key = bits_per_key};
    const struct fb_design *design;
    const char *why;
    struct handle *h = new_handle(name, &design);
    if (!h)
        return NULL;
    enum fb_err err = fb_builder_open(&h->builder, design, NULL, &params, n_keys, &why);
    h->collecting = *design;
    h->collecting.traits &= ~(unsigned)FB_DROPS_ADJACENT; /* the builder drops them */
    h->collecting.build = NULL;
    h->collecting.retry = NULL;
    h->collecting.grow = NULL;
    h->collecting.kernels = collectors;
    h->filter.design = &h->collecting;
    h->filter.kernel = &collector;
    h->filter.geom.digest_words = h->builder.words;
    return checked(h, err, why);
}

enum fb_err fb_filter_finish(struct fb_filter *f)
{
    struct handle *h = (struct handle *)f;
    struct fb_filter built;
    const char *why = NULL;
    enum fb_err err = FB_OK;
    if (h->builder.design)
        err = fb_builder_finish(&h->builder, &built, &why);
    else if (!f->finished)
        err = FB_EFULL;
    if (!err && h->builder.design)
        *f = built;
    fb_builder_close(&h->builder);
    reason = why ? why : err ? fb_err_text(err) : "";
    return err;
}

size_t fb_filter_save(const struct fb_filter *f, void *block, size_t room)
{
    const struct fb_format *format = f->kernel == &collector ? NULL : f->design->formats;
    const uint64_t size = format ? format->size(f) : 0;
    const char *why;
    if (!format)
        return 0;
    return size > room || !fb_filter_write(f, format, block, &why) ? (size_t)size : 0;
}

struct fb_filter *fb_filter_load(const char *name, const void *block, size_t len)
{
    const struct fb_design *design;
    const char *why = NULL;
    struct handle *h = new_handle(name, &design);
    if (!h)
        return NULL;
    enum fb_err err = design->formats
                          ? fb_filter_read(design, design->formats, block, len, &h->filter, &why)
                          : FB_EUNSUPPORTED;
    return checked(h, err, why);
}

void fb_filter_free(struct fb_filter *f)
{
    struct handle *h = (struct handle *)f;
    if (!f)
        return;
    fb_builder_close(&h->builder);
    if (f->kernel != &collector)
        fb_filter_close(f);
    free(h);
}

const char *fb_filter_why(void)
{
    return reason;
}

const char *fb_version(void)
{
    return FB_VERSION;
}
