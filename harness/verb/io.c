#include "harness/verb/io.h"

#include <string.h>
#include <unistd.h>

#include "harness/base/message.h"
#include "harness/base/option.h"
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

const char *fb_io_device(const struct fb_io_given *g)
{
    return is_file(g->io) ? NULL : g->io;
}

bool fb_io_wrong(const char *verb, const struct fb_io_given *g)
{
    return fb_opt_wrong(g->io && !is_device(g->io) && !is_file(g->io), verb,
                        "--io names no device and no file that can be read; give nvme, optane, "
                        "sata, hdd, s3, pagecache, 100us, measured:FOLDER, or a file of 'engine "
                        "cost'") ||
           fb_opt_wrong((g->residency || g->reads) && !is_file(g->io), verb,
                        "--filter-residency and --reads are for a file of 'engine cost'; give it "
                        "with --io FILE");
}

enum fb_exit fb_io_read(const struct fb_io_given *g, const char *engine, json_t *fields)
{
    const struct fb_io_gets gets = {.residency = g->residency ? g->residency : "pinned",
                                    .reads = g->reads ? g->reads : "page-cache"};
    const double block_bytes = 4096;
    char ways[300];
    json_t *profile;
    if (!is_file(g->io))
        return FB_EXIT_OK;
    enum fb_exit code = fb_io_profile_load(g->io, engine, block_bytes, &profile);
    if (!code && !fb_io_profile_fields(profile, &gets, fields)) {
        fb_io_profile_ways(profile, ways, sizeof ways);
        fb_error("%s: it does not tell what filters and reads cost with filters %s and reads from "
                 "%s; it has filters %s",
                 g->io, gets.residency, gets.reads, ways);
        code = FB_EXIT_USAGE;
    }
    if (!code && strcmp(gets.residency, "pinned") != 0)
        fb_note("%s: its cache holds all filters; a smaller one is not modelled, 'filterbench "
                "engine PRESET --set filter_residency=%s --set cache_bytes=SIZE --set "
                "cache_fits=false' measures it",
                g->io, gets.residency);
    json_decref(profile);
    return code;
}
