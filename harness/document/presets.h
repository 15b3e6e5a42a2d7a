/* Where experiments come from: the presets of workloads/presets, and files. */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_PRESETS_H
#define FILTERBENCH_HARNESS_DOCUMENT_PRESETS_H

#include "harness/base/exit.h"
#include "harness/document/kind.h"

/* Path of the preset of that name; false where there is none that can be read. */
bool fb_preset_find(const char *name, char *path, size_t size);

/* ", did you mean 'fpr-smoke'?" of the presets and of `others`, which ends with NULL (NULL: none);
 * or "". Lives until the next fb_did_you_mean. */
const char *fb_preset_near(const char *name, const char *const *others);

/* Reads an experiment from a file ("-": stdin), which may be a result document or a file of counts
 * as well: then as fb_document_check_experiment, fb_result_check_version and
 * fb_result_check_content have it, of version 1 unchecked. An error has been printed; *document is
 * the caller's either way.
 */
enum fb_exit fb_experiment_load(const char *path, json_t **document);

/* Reads what `name` names: a file ("-", a path, or *.json) or a preset. An error of the verb has
 * been printed. */
enum fb_exit fb_experiment_find(const char *verb, const char *name, json_t **document);

/* Where options changed fields of what was `found`, which it takes, the texts of that no longer
 * hold: "summary" then says which fields differ. Texts that options set stay. No kind: it only
 * takes. */
void fb_experiment_retell(const struct fb_kind *, json_t *found, json_t *given);

#endif
