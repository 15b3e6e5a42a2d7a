#include "filters/core/heap.h"

#include <stdlib.h>

#include "filters/core/bits.h"

void fb_heap_hold(struct fb_heap *heap, uint64_t n_bytes)
{
    if (!heap)
        return;
    heap->held += n_bytes;
    heap->most = fb_max_u64(heap->most, heap->held);
}

void fb_heap_drop(struct fb_heap *heap, uint64_t n_bytes)
{
    if (heap)
        heap->held -= n_bytes;
}

static void *counted(struct fb_heap *heap, void *taken, uint64_t n_bytes)
{
    if (taken)
        fb_heap_hold(heap, n_bytes);
    return taken;
}

void *fb_heap_take(struct fb_heap *heap, uint64_t n_bytes)
{
    if (n_bytes > SIZE_MAX / 2)
        return NULL;
    return counted(heap, malloc(n_bytes ? (size_t)n_bytes : 1), n_bytes);
}

void *fb_heap_take_zeroed(struct fb_heap *heap, uint64_t n_bytes)
{
    if (n_bytes > SIZE_MAX / 2)
        return NULL;
    return counted(heap, calloc(n_bytes ? (size_t)n_bytes : 1, 1), n_bytes);
}

void fb_heap_give(struct fb_heap *heap, void *taken, uint64_t n_bytes)
{
    if (!taken)
        return;
    free(taken);
    fb_heap_drop(heap, n_bytes);
}
