/*
 * How fast the machine is at this moment: the time of work that is always the same and does what a
 * Get does, without an engine. A machine that others share is slow for moments. One thread.
 */
#ifndef FILTERBENCH_HARNESS_KIND_ENGINE_YARDSTICK_H
#define FILTERBENCH_HARNESS_KIND_ENGINE_YARDSTICK_H

/* Measures it, in ns; 0: out of memory. */
double fb_yardstick(void);
/* What it takes where the machine is quiet: a tenth of those of this process took less. A moment
 * may be far quicker than the machine ever is for long, so it is not the least. 0: never measured.
 */
double fb_yardstick_quiet(void);

#endif
