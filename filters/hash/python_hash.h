/*
 * CPython's hash() of integers and floats: the value modulo the Mersenne prime 2^61 - 1, so that
 * equal numbers hash equal whatever their type. (CPython Objects/longobject.c, Python/pyhash.c)
 */
#ifndef FILTERBENCH_FILTERS_HASH_PYTHON_HASH_H
#define FILTERBENCH_FILTERS_HASH_PYTHON_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* hash(int(text)) for len bytes of decimal digits with an optional sign; any length. False if the
 * text is not such a number. */
bool fb_python_hash_int(const char *text, size_t len, int64_t *hash);

/* hash(x). NaN, whose hash CPython makes from the object's address, gives false. */
bool fb_python_hash_float(double x, int64_t *hash);

#ifdef __cplusplus
}
#endif

#endif
