/* Where experiments come from: the presets of workloads/presets, and files. */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_PRESETS_H
#define FILTERBENCH_HARNESS_DOCUMENT_PRESETS_H

#include "harness/base/exit.h"
#include "harness/document/experiment.h"

/* Path of the preset of that name; false where there is none that can be read. */
bool fb_preset_find(const char *name, char *path, size_t size);

/* ", did you mean 'fpr-smoke'?", or "". Lives until the next fb_did_you_mean. */
const char *fb_preset_near(const char *name);

/* Reads an experiment from a file ("-": stdin), which may be a result document or a file of counts
 * as well; an error has been printed. */
enum fb_exit fb_experiment_load(const char *path, json_t **document);

/* Reads what `name` names: a file ("-", a path, or *.json) or a preset. An error of the verb has
 * been printed. */
enum fb_exit fb_experiment_find(const char *verb, const char *name, json_t **document);

#endif
