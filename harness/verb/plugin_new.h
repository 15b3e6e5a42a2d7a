/* The beginning of a plugin: a design that keeps the contract, and what builds it. */
#ifndef FILTERBENCH_HARNESS_VERB_PLUGIN_NEW_H
#define FILTERBENCH_HARNESS_VERB_PLUGIN_NEW_H

#include "harness/base/exit.h"

/* Writes NAME.c and Makefile into a folder, which is made where it is missing; NULL: NAME. What is
 * there already is not written over. Exit codes with a line on stderr. */
enum fb_exit fb_plugin_new(const char *name, const char *folder);

#endif
