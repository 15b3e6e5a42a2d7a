#include "harness/document/user_keys.h"

#include <string.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/message.h"

json_t *fb_user_keys_about(const char *path, const char *format, const struct fb_keys *distinct,
                           size_t n_dropped)
{
    const uint64_t n_bytes = distinct->offset[distinct->n];
    return json_pack("{s:o, s:s, s:I, s:I, s:I, s:o}", "name", fb_json_text(path), "format", format,
                     "given", (json_int_t)(distinct->n + n_dropped), "dropped",
                     (json_int_t)n_dropped, "bytes", (json_int_t)n_bytes, "xxh3_128",
                     fb_json_xxh3(distinct->bytes, n_bytes));
}

enum fb_exit fb_user_keys_load(const char *path, const char *format, enum fb_user_keys_order order,
                               struct fb_user_keys *out)
{
    struct fb_keyset all;
    size_t n_dropped = 0;
    memset(out, 0, sizeof *out);
    enum fb_exit code = fb_file_read_keys(path, format, &all);
    if (code)
        return code;
    format = format ? format : fb_keyformats[0].name;
    size_t n_given = all.keys.n;
    enum fb_err err = order == FB_USER_KEYS_SORTED
                          ? fb_keyset_sorted(&all.keys, &out->distinct, &n_dropped)
                          : fb_keyset_distinct(&all.keys, &out->distinct, &n_dropped);
    fb_keyset_close(&all);
    if (err)
        return fb_fail(fb_file_name(path), err, NULL);
    const struct fb_keys *keys = &out->distinct.keys;
    if (keys->n < 2) {
        fb_error(
            "%s: %zu distinct key%s; give at least 2, because half of the keys go into filters "
            "and the other half are looked up as absent keys",
            fb_file_name(path), keys->n, keys->n == 1 ? "" : "s");
        return FB_EXIT_USAGE;
    }
    if (n_dropped)
        fb_note("%s: %zu of %zu keys are repeats and were dropped", fb_file_name(path), n_dropped,
                n_given);
    out->about = fb_user_keys_about(path, format, keys, n_dropped);
    return FB_EXIT_OK;
}

void fb_user_keys_close(struct fb_user_keys *keys)
{
    fb_keyset_close(&keys->distinct);
    json_decref(keys->about);
    memset(keys, 0, sizeof *keys);
}
