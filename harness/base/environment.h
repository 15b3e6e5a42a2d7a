/*
 * Where a result came from: the tool, the machine, the build. Every fact is there; an unknown one
 * is null, with the reason in "<field>_reason".
 */
#ifndef FILTERBENCH_HARNESS_BASE_ENVIRONMENT_H
#define FILTERBENCH_HARNESS_BASE_ENVIRONMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

json_t *fb_environment_tool(void);    /* name, version, git */
json_t *fb_environment_machine(void); /* arch, cpu_model, cores, isa, caches, memory, system */
json_t *fb_environment_build(void);   /* compiler, type, flags, versions of the libraries */

/* Sets object[name] to value (owned); to null and object[name_reason] to reason when it is NULL. */
void fb_json_known(json_t *object, const char *name, json_t *value, const char *reason);
/* The same for a double, NULL being one that is not finite. */
void fb_json_real(json_t *object, const char *name, double value, const char *reason);
/* A string of any bytes: those that are not UTF-8 become '?'. */
json_t *fb_json_text(const char *text);
/* XXH3-128 of the value as sorted compact JSON with 15 digits, which is the same once written and
 * read again. False: out of memory. */
bool fb_json_hash(const json_t *value, char hex[33]);
/* XXH3-128 of bytes, as a string of 32 hexadecimal digits. */
json_t *fb_json_xxh3(const void *bytes, size_t n);
/* "0x..." with 16 digits, as words that a double cannot hold are written. */
json_t *fb_json_word(uint64_t word);

#endif
