#include "harness/verb/io.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/document/io_profile.h"
#include "harness/store/device.h"

static bool is_device(const char *io)
{
    struct fb_device device;
    const char *why;
    return fb_device_parse(io, &device, &why);
}

static bool is_file(const char *io)
{
    return io && !is_device(io) && !access(io, R_OK);
}

const char *fb_io_file(const struct fb_io_given *g)
{
    return is_file(g->io) ? g->io : NULL;
}

const char *fb_io_device(const struct fb_io_given *g)
{
    return is_file(g->io) ? NULL : g->io;
}

bool fb_io_wrong(const char *verb, const struct fb_io_given *g, const struct fb_texts *set)
{
    bool device = false;
    for (size_t i = 0; i < set->n; i++)
        device |= !strncmp(set->at[i], "device=", 7);
    return fb_opt_wrong(g->io && !is_device(g->io) && !is_file(g->io) && strpbrk(g->io, "./"), verb,
                        "--io names no device and no file that can be read; give nvme, optane, "
                        "sata, hdd, s3, pagecache, 100us, measured:FOLDER, or a file of 'engine "
                        "cost'") ||
           fb_opt_wrong(is_file(g->io) && device, verb,
                        "--io FILE and --set device= exclude each other; give one of them") ||
           fb_opt_wrong(g->residency && !is_file(g->io), verb,
                        "--filter-residency is for a file of 'engine cost'; give it with --io "
                        "FILE") ||
           fb_opt_wrong(g->reads && !is_file(g->io), verb,
                        "--reads is for a file of 'engine cost'; give it with --io FILE");
}

/* What of the profile cannot be priced with, and what to do. */
static void say_missing(const struct fb_io_given *g, const json_t *profile,
                        const struct fb_io_gets *gets)
{
    char ways[300], way[80];
    fb_io_profile_ways(profile, ways, sizeof ways);
    snprintf(way, sizeof way, "%.30s from %.30s", gets->residency, gets->reads);
    if (strstr(ways, way))
        fb_error("%s: it has too few Gets to tell what filters and reads cost; make one with more "
                 "keys, -n 1M",
                 g->io);
    else
        fb_error("%s: it does not tell what filters and reads cost with filters %s and reads from "
                 "%s; it has filters %s; make one with --set filter_residency=%s --set reads=%s",
                 g->io, gets->residency, gets->reads, ways, gets->residency, gets->reads);
}

enum fb_exit fb_io_read(const struct fb_io_given *g, const char *engine, json_t *fields)
{
    enum { SMALL = 500000 };
    const struct fb_io_gets gets = {.residency = g->residency ? g->residency : "pinned",
                                    .reads = g->reads ? g->reads : "page-cache"};
    /* advise has no such field: its blocks have 4 KiB. */
    const double given = fb_json_num(fields, "block_bytes");
    json_t *profile;
    if (!is_file(g->io))
        return FB_EXIT_OK;
    enum fb_exit code = fb_io_profile_load(g->io, engine, isfinite(given) ? given : 4096, &profile);
    if (!code && !fb_io_profile_fields(profile, &gets, fields)) {
        say_missing(g, profile, &gets);
        code = FB_EXIT_USAGE;
    }
    if (!code && fb_json_num(profile, "engine.n") < SMALL)
        fb_note(
            "%s: made with %.0f keys; such small tables stay in the processor's caches, so a read "
            "looks too cheap; make a profile with -n 1M",
            g->io, fb_json_num(profile, "engine.n"));
    if (!code && strcmp(gets.residency, "pinned") != 0)
        fb_note("%s: its cache holds all filters; a smaller one is not modelled, 'filterbench "
                "engine PRESET --set filter_residency=%s --set cache_bytes=SIZE --set "
                "cache_fits=false' measures it",
                g->io, gets.residency);
    json_decref(profile);
    return code;
}
