/* Simulated noise of observations made one after another; of variance about 1, or 1 per layer. */
#ifndef FILTERBENCH_TESTS_SERIAL_NOISE_H
#define FILTERBENCH_TESTS_SERIAL_NOISE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "workloads/core/rng.h"

/* Number i of a stream of independent ones, nearly normal. */
static inline double noise_at(uint64_t stream, uint64_t i)
{
    double sum = 0;
    for (uint64_t k = 0; k < 12; k++)
        sum += (double)(fb_stream_word(stream, 12 * i + k) >> 11) * 0x1p-53;
    return sum - 6;
}

/* Each resembles the one before: correlation `keep`. 0: independent. */
static inline void noise_of_order_one(uint64_t stream, double keep, double *out, size_t n)
{
    double x = noise_at(stream, 0);
    for (size_t i = 0; i < n; i++) {
        out[i] = x;
        x = keep * x + sqrt(1 - keep * keep) * noise_at(stream, i + 1);
    }
}

/* Noise as of a shared machine, nearly 1/f: neighbours that stay for about 2, 8, 32, 128 and 512
 * observations, `slow` each, and what is new each time. It has no mean. */
static inline void noise_of_neighbours(uint64_t stream, double slow, double *out, size_t n)
{
    enum { LAYERS = 5 };
    double level[LAYERS];
    for (uint64_t l = 0; l < LAYERS; l++)
        level[l] = noise_at(stream ^ l, 0);
    for (size_t i = 0; i < n; i++) {
        out[i] = noise_at(stream, i + 1);
        for (uint64_t l = 0; l < LAYERS; l++) {
            double keep = exp(-1 / (double)(UINT64_C(2) << 2 * l));
            level[l] = keep * level[l] + sqrt(1 - keep * keep) * noise_at(stream ^ (l + 8), i + 1);
            out[i] += slow * level[l];
        }
    }
}

#endif
