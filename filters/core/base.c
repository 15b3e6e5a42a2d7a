#include "filters/core/base.h"

#include <stdlib.h>
#include <string.h>

const char *fb_err_text(enum fb_err err)
{
    switch (err) {
    case FB_OK:
        return "no error";
    case FB_ENOMEM:
        return "out of memory";
    case FB_EINVAL:
        return "parameter out of range";
    case FB_ECORRUPT:
        return "corrupt block";
    case FB_EUNSUPPORTED:
        return "not supported by this design";
    case FB_EFULL:
        return "a key found no place in the filter";
    case FB_EIO:
        return "input/output error";
    }
    return "unknown error";
}

size_t fb_word_find(const struct fb_word *words, const char *name)
{
    size_t i = 0;
    while (words[i].name && strcmp(words[i].name, name) != 0)
        i++;
    return i;
}

void *fb_alloc_lines(uint64_t n_bytes)
{
    if (n_bytes > SIZE_MAX / 2)
        return NULL;
    size_t size = ((size_t)n_bytes + FB_CACHE_LINE - 1) / FB_CACHE_LINE * FB_CACHE_LINE;
    if (size == 0)
        size = FB_CACHE_LINE;
    void *lines = aligned_alloc(FB_CACHE_LINE, size);
    if (lines)
        memset(lines, 0, size);
    return lines;
}
