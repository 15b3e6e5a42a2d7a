#include "harness/filter/operation.h"

static const struct fb_word operations[] = {{.name = "batch"},
                                            {.name = "each"},
                                            {.name = "branch"},
                                            {.name = "chain"},
                                            {.name = "insert"},
                                            {.name = "remove"},
                                            {.name = "build"},
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

enum fb_operation fb_operation_find(const char *name)
{
    return (enum fb_operation)fb_word_find(operations, name);
}

bool fb_operation_writes(enum fb_operation operation)
{
    return operation == FB_OP_INSERT || operation == FB_OP_REMOVE || operation == FB_OP_BUILD;
}

bool fb_operation_alters(enum fb_operation operation, const struct fb_design *design)
{
    return operation == FB_OP_REMOVE || (operation == FB_OP_INSERT && fb_design_removes(design));
}
