/*
 * Where a result came from: the tool, the machine, the build. Every fact is there; an unknown one
 * is null, with the reason in "<field>_reason".
 */
#ifndef FILTERBENCH_HARNESS_BASE_ENVIRONMENT_H
#define FILTERBENCH_HARNESS_BASE_ENVIRONMENT_H

#include <jansson.h>
#include <stdbool.h>

#include "filters/core/cpu.h"

json_t *fb_environment_tool(void);    /* name, version, git */
json_t *fb_environment_machine(void); /* arch, cpu_model, cores, isa, caches, memory, system */
/* {"l1d": bytes, "l2": ...} of the first processor, as the kernel names them; NULL where it does
 * not. (The C library asks the processor itself, which in a virtual machine may name the caches of
 * the whole host: 384 MiB of L3 where the guest shares 32.) */
json_t *fb_environment_caches(void);
json_t *fb_environment_now(void);   /* the time, in UTC: "2026-11-23T00:00:00Z" */
json_t *fb_environment_build(void); /* compiler, type, flags, versions of the libraries */

/* A machine's key, 16 hexadecimal digits: of its architecture, model of processor, number of cores
 * and caches, of nothing that changes when it starts anew. */
void fb_machine_key(char key[17]);
/* That of a machine that a document names. */
void fb_machine_key_of(const json_t *machine, char key[17]);
/* What of a machine that a file names is not this one's, of what the key is made of: "another
 * cpu_model, caches_bytes"; "another cores" also where this process may use fewer. Lives until the
 * next call. */
const char *fb_machine_difference(const json_t *machine);

/* Where what was measured of this machine is kept: NAME-KEY.json in $XDG_CACHE_HOME/filterbench, or
 * in ~/.cache/filterbench; "": no home folder is known. */
enum { FB_MACHINE_PATH = 4096 };
void fb_machine_file(const char *name, char path[FB_MACHINE_PATH]);
/* Writes such a file, whole or not at all; that it cannot be written stops nothing. */
void fb_machine_store(const char *path, const json_t *file);

/* Names of the instruction sets for which the function is true. */
json_t *fb_environment_isas(bool (*in)(enum fb_isa));

#endif
