#include "harness/filter/operation.h"

#include "harness/filter/inline_loop.h"
#include "harness/filter/peer_build.h"

static const struct fb_word operations[] = {{.name = "batch"},
                                            {.name = "each"},
                                            {.name = "branch"},
                                            {.name = "chain"},
                                            {.name = "insert"},
                                            {.name = "remove"},
                                            {.name = "mixed"},
                                            {.name = "build"},
                                            {.name = "build-keys"},
                                            {.name = "digest"},
                                            {.name = "walk"},
                                            {.name = "walk-batch"},
                                            {.name = "inline"},
                                            {.name = "insert-inline"},
                                            {.name = "build-peer"},
                                            {.name = "plain"},
                                            {.name = "check"},
                                            {.name = "hash"},
                                            {.name = "hash-chain"},
                                            {.name = "finalizer"},
                                            {.name = "modulo"},
                                            {.name = "reciprocal"},
                                            {.name = "mask"},
                                            {.name = "bits"},
                                            {0}};

const char *fb_operation_name(enum fb_operation operation)
{
    return operations[operation].name;
}

const char *fb_operation_doing(enum fb_operation operation)
{
    static const char *const doing[FB_N_OPERATIONS] = {
        [FB_OP_BATCH] = "a batch lookup",
        [FB_OP_EACH] = "a single lookup",
        [FB_OP_BRANCH] = "a lookup with a branch",
        [FB_OP_CHAIN] = "a chained lookup",
        [FB_OP_INSERT] = "an insert",
        [FB_OP_REMOVE] = "a removal",
        [FB_OP_MIXED] = "a mixed operation",
        [FB_OP_BUILD] = "a build",
        [FB_OP_BUILD_KEYS] = "a build from keys",
        [FB_OP_DIGEST] = "hashing a key",
        [FB_OP_WALK] = "a walk",
        [FB_OP_WALK_BATCH] = "a batch walk",
        [FB_OP_INLINE] = "an inline lookup",
        [FB_OP_INSERT_INLINE] = "an inline insert",
    };
    return doing[operation];
}

enum fb_operation fb_operation_find(const char *name)
{
    return (enum fb_operation)fb_word_find(operations, name);
}

bool fb_operation_writes(enum fb_operation operation)
{
    return operation == FB_OP_INSERT || operation == FB_OP_INSERT_INLINE ||
           fb_operation_removes(operation) || fb_operation_builds(operation);
}

bool fb_operation_has_peer(enum fb_operation operation)
{
    return operation == FB_OP_INLINE || operation == FB_OP_INSERT_INLINE ||
           operation == FB_OP_BUILD_PEER;
}

bool fb_operation_builds(enum fb_operation operation)
{
    return operation == FB_OP_BUILD || operation == FB_OP_BUILD_PEER ||
           operation == FB_OP_BUILD_KEYS || operation == FB_OP_DIGEST;
}

bool fb_operation_walks(enum fb_operation operation)
{
    return operation == FB_OP_WALK || operation == FB_OP_WALK_BATCH;
}

bool fb_operation_removes(enum fb_operation operation)
{
    return operation == FB_OP_REMOVE || operation == FB_OP_MIXED;
}

bool fb_operation_alters(enum fb_operation operation, const struct fb_design *design)
{
    return fb_operation_removes(operation) ||
           (operation == FB_OP_INSERT && fb_design_removes(design));
}

/* A build of more keys takes longer than a round may. */
static const uint64_t most_built = UINT64_C(1) << 22;

const char *fb_operation_why_not(enum fb_operation operation, const struct fb_design *design,
                                 const struct fb_kernel *kernel, uint64_t n_keys)
{
    const struct fb_inline_loops *loops = fb_inline_loops_of(design->name, kernel->isa);
    if (operation == FB_OP_BUILD_PEER && !fb_peer_build_of(design->name))
        return "there is no peer to hold its build to";
    if (fb_operation_has_peer(operation) && operation != FB_OP_BUILD_PEER && !loops)
        return "filters/inline/ has no header for it";
    if (operation == FB_OP_INSERT_INLINE)
        return loops->form[FB_INLINE_PEER].insert ? NULL : "there is no peer to hold its insert to";
    if (!fb_operation_writes(operation))
        return NULL;
    if ((operation == FB_OP_BUILD_KEYS || operation == FB_OP_DIGEST) &&
        design->traits & FB_TAKES_KEYS)
        return "its digests are the keys: there is nothing to hash";
    if (fb_operation_builds(operation))
        return n_keys > most_built || !n_keys ? "a build of more than 2^22 keys takes too long"
                                              : NULL;
    if (fb_operation_removes(operation) && !kernel->remove_batch)
        return "this kernel removes no keys";
    if (!kernel->add_batch)
        return "this kernel does not add";
    if (operation == FB_OP_INSERT && design->when_full && !fb_design_removes(design))
        return "each insert takes room, and none gives it back";
    return fb_operation_alters(operation, design) && n_keys < 2 * FB_DIGEST_WORDS
               ? "it holds fewer keys than two blocks"
               : NULL;
}
