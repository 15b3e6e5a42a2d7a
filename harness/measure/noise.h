/*
 * What else goes on on this machine while something is measured, as far as it can be known; and the
 * processor to measure on.
 */
#ifndef FILTERBENCH_HARNESS_MEASURE_NOISE_H
#define FILTERBENCH_HARNESS_MEASURE_NOISE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct fb_noise {
    double psi_cpu; /* /proc/pressure/cpu, some avg10, in per cent; NaN: unknown */
    double steal;   /* /proc/stat, ticks taken by the hypervisor since boot; NaN: unknown */
};

void fb_noise_read(struct fb_noise *);

/* {psi_cpu_before, psi_cpu_after, steal_ticks}: null and a reason where unknown. */
json_t *fb_noise_json(const struct fb_noise *before, const struct fb_noise *after);

/* {governor, transparent_huge_pages, aslr} as the system names them. */
json_t *fb_noise_settings(void);

/* The processor, of those this process may use, on which a busy loop of at most 50 ms got the
 * largest share of the time; -1 where threads cannot be pinned. */
int fb_idlest_cpu(void);
/* Whether this process may run on it. */
bool fb_cpu_usable(int cpu);
/* The processors that this process may run on, "0-3,8", cut off where `size` ends. */
void fb_cpus_usable(char *text, size_t size);
/* The index-th processor that this process may run on, modulo their number; -1: unknown. */
int fb_cpu_at(unsigned index);
/* Pins the calling thread; -1: leaves it as it is. Where that fails the system chooses. */
void fb_pin(int cpu);

#endif
