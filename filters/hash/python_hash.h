/*
 * CPython's hash() of integers and floats: the value modulo the Mersenne prime 2^61 - 1. So equal
 * numbers have equal hashes, whatever their type. Pure functions. (CPython Objects/longobject.c,
 * Python/pyhash.c)
 */
#ifndef FILTERBENCH_FILTERS_HASH_PYTHON_HASH_H
#define FILTERBENCH_FILTERS_HASH_PYTHON_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Computes hash(int(text)) for len bytes of decimal digits, of any number, with an optional sign.
 * Returns false if the text is not such a number. */
bool fb_python_hash_int(const char *text, size_t len, int64_t *hash);

/* Computes hash(x). Returns false for NaN, whose hash CPython makes from the object's address. */
bool fb_python_hash_float(double x, int64_t *hash);

#ifdef __cplusplus
}
#endif

#endif
