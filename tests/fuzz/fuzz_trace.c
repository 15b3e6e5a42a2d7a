/* Any bytes as a trace, and as the tree it makes: byte 0 chooses the format, bytes 1 to 3 the
 * shape. */
#include "tests/fuzz/require.h"

#include <string.h>

#include "workloads/core/trace_tree.h"

/* The last write of a key decides what a get of it finds. */
static bool written(const struct fb_trace *trace, const struct fb_trace_tree *t, uint64_t index)
{
    for (size_t i = trace->n_ops; i-- > 0;) {
        enum fb_trace_kind kind = trace->ops[i].kind;
        if (t->index[trace->ops[i].key] == index &&
            (kind == FB_TRACE_PUT || kind == FB_TRACE_DELETE))
            return kind == FB_TRACE_PUT;
    }
    return false;
}

static void make_tree(const struct fb_trace *trace, const uint8_t *choice)
{
    struct fb_tree_shape shape = {
        .style = choice[0] % 2 ? FB_TIERED : FB_LEVELED,
        .entry_overhead = choice[0] / 2 % 8,
        .segment_bytes = 1 + choice[1] % 64,
        .ratio = 1.5 + choice[1] / 64,
        .l0 = 1 + choice[2] % 5,
        .unit = FB_UNIT_FILE,
        .scale = 1,
    };
    struct fb_trace_tree t;
    const char *why = NULL;
    enum fb_err err = fb_tree_of_trace(trace, &shape, 1 + choice[2], &t, &why);
    REQUIRE("trace", !err || (err == FB_EINVAL && why));
    for (size_t i = 0; i < t.n_gets; i++) {
        bool tombstone;
        size_t holder = fb_tree_holder(&t.tree, t.get[i], &tombstone);
        REQUIRE("trace", (holder < t.tree.n_runs && !tombstone) == written(trace, &t, t.get[i]));
    }
    fb_trace_tree_close(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fb_trace trace;
    struct fb_trace_error error;
    size_t n_formats = 0;
    while (fb_traceformats[n_formats].name)
        n_formats++;
    if (size < 4)
        return 0;
    uint8_t *copy = malloc(size - 4 ? size - 4 : 1);
    REQUIRE("trace", copy);
    memcpy(copy, data + 4, size - 4);
    enum fb_err err =
        fb_trace_parse(fb_traceformats[data[0] % n_formats].name, copy, size - 4, &trace, &error);
    free(copy);
    if (err) {
        REQUIRE("trace", err == FB_EINVAL && error.what && error.line && !trace.ops);
        return 0;
    }
    for (size_t i = 0; i < trace.n_ops; i++)
        REQUIRE("trace",
                trace.ops[i].key + (trace.ops[i].kind == FB_TRACE_SCAN) < trace.keys.keys.n);
    make_tree(&trace, data + 1);
    fb_trace_close(&trace);
    return 0;
}
