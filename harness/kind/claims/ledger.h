/*
 * Ledgers: what texts claim, one row a claim, read from a file for each document.
 *
 *     "documents"  the five source documents: results/claims/<document>.json; the default
 *     "beyond"     papers on filters, and engines: results/claims/beyond/<document>.json, where a
 *                  document is several texts of one sort and `section` says which
 *
 * An id stands in one ledger only.
 *
 * A row says where the claim stands, what it claims (the printed digits, or words made decidable as
 * a relation to a number; claimed.h), the model that should predict it, how it is measured (a
 * procedure of procedures.def and its arguments) and, where nothing can be measured here, what
 * it needs or which source settles it. It holds no expected values: theory is computed.
 *
 * A row that came to mean something else has a new id. The old id stays in the list "retired" of
 * its document: {"id": "nori.old", "left": "why, and which row took its place"}.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_LEDGER_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_LEDGER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "filters/core/base.h"
#include "harness/document/experiment.h"
#include "harness/kind/claims/claimed.h"

/* Strings point into the ledger. NULL: the row does not say. */
struct fb_claim {
    const char *id, *document, *section, *kind, *claim;
    struct fb_claimed claimed;
    const json_t *row; /* as written */
    const char *model, *note;
    const json_t *measure; /* arguments; NULL: not measured */
    const char *procedure;
    const char *needs;       /* what a pending row waits for; NULL: judged */
    const char *cite, *says; /* a documentary row's source, and what stands there */
    int holds;               /* documentary: 1 or 0 */
};

struct fb_ledger {
    const char *name;
    json_t *documents; /* owned: the files' contents, in the order of the table */
    struct fb_claim *claims;
    size_t n;
};

/* Names of ledgers, the default first; ends with NULL. */
extern const char *const fb_ledger_names[];
/* "results/claims/beyond"; `name` is one of them. */
const char *fb_ledger_folder(const char *name);

/* Reads every document of the ledger `name` from the project's own folder, or from under `root`, in
 * the place of results/claims. On failure `why` [size], or *problem, names the file, the row and
 * what is wrong. A zeroed ledger may be closed. */
bool fb_ledger_open(const char *name, struct fb_ledger *out, struct fb_problem *problem);
enum fb_err fb_ledger_load(const char *root, const char *name, struct fb_ledger *out, char *why,
                           size_t size) FB_MUST_USE;
void fb_ledger_close(struct fb_ledger *);

/* By id; NULL: there is none. */
const struct fb_claim *fb_ledger_find(const struct fb_ledger *, const char *id);

/* Why a row of this id left the ledger; NULL: none did. */
const char *fb_ledger_left(const struct fb_ledger *, const char *id);

/* What stands in the document: a text, an array of texts, or NULL. */
const json_t *fb_claim_printed(const struct fb_claim *);

#endif
