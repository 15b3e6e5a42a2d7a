/* Any bytes as a key file: byte 0 chooses the format, byte 1 the length of fixed keys or the
 * column. */
#include "tests/fuzz/require.h"

#include <string.h>

#include "workloads/core/keys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char format[32] = "";
    struct fb_keyset set;
    struct fb_keyfile_error error = {0};
    size_t n_formats = 0;
    while (fb_keyformats[n_formats].name)
        n_formats++;
    if (size < 2)
        return 0;
    snprintf(format, sizeof format, "%s", fb_keyformats[data[0] % n_formats].name);
    if (!strncmp(format, "fixed", 5))
        snprintf(format, sizeof format, "fixed:%d", data[1] % 20);
    if (!strncmp(format, "csv", 3))
        snprintf(format, sizeof format, data[1] % 2 ? "csv:%d" : "csv:%c", data[1] / 2);
    if (!fb_keyformat_valid(format))
        return 0;
    uint8_t *copy = malloc(size - 2 ? size - 2 : 1);
    REQUIRE(format, copy);
    memcpy(copy, data + 2, size - 2);
    enum fb_err err = fb_keyfile_parse(format, copy, size - 2, &set, &error);
    free(copy);
    if (err) {
        REQUIRE(format, err == FB_EINVAL && error.what);
        return 0;
    }
    uint8_t sum = 0;
    REQUIRE(format, set.keys.n <= size);
    for (size_t i = 0; i < set.keys.n; i++) {
        REQUIRE(format, set.keys.offset[i] <= set.keys.offset[i + 1]);
        for (size_t j = 0; j < fb_key_len(&set.keys, i); j++)
            sum ^= fb_key_at(&set.keys, i)[j];
        REQUIRE(format, !set.keys.type || set.keys.type[i] <= FB_KEY_FLOAT);
    }
    fb_keyset_close(&set);
    return sum & 0; /* every byte was read */
}
