/* Exit codes of every verb. */
#ifndef FILTERBENCH_HARNESS_BASE_EXIT_H
#define FILTERBENCH_HARNESS_BASE_EXIT_H

enum fb_exit {
    FB_EXIT_OK = 0,
    FB_EXIT_REGRESSED = 1,    /* slower than before, confirmed; or more instructions */
    FB_EXIT_SHARD_FAILED = 1, /* of a study, as its status says */
    FB_EXIT_USAGE = 2,        /* usage, bad input, missing component */
    FB_EXIT_INCONCLUSIVE = 3, /* slower or not, nobody knows; where that was to be told */
    FB_EXIT_NOT_COMPARABLE = 4,
    FB_EXIT_CORRECTNESS = 5, /* false negative, model not confirmed, checksum */
    /* Nothing was judged: a part of the program is wrong, or the machine is too noisy for what was
     * asked. */
    FB_EXIT_SELF_CHECK = 6,
    FB_EXIT_UNRESOLVED = 6,
    FB_EXIT_PLUGIN = 7,  /* a plugin that cannot be loaded, or breaks the contract */
    FB_EXIT_MEMORY = 71, /* the machine has no more of it */
    FB_EXIT_IO = 74,
    FB_EXIT_INTERRUPTED = 130,
};

#endif
