/*
 * Where a result came from: the tool, the machine, the build. Every fact is there; an unknown one
 * is null, with the reason in "<field>_reason".
 */
#ifndef FILTERBENCH_HARNESS_BASE_ENVIRONMENT_H
#define FILTERBENCH_HARNESS_BASE_ENVIRONMENT_H

#include <jansson.h>

json_t *fb_environment_tool(void);    /* name, version, git */
json_t *fb_environment_machine(void); /* arch, cpu_model, cores, isa, caches, memory, system */
json_t *fb_environment_build(void);   /* compiler, type, flags, versions of the libraries */

#endif
