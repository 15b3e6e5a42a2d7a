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
 * a relation to a number, as below), the model that should predict it, how it is measured (a
 * procedure of procedures.def and its arguments) and, where nothing can be measured here, what
 * it needs or which source settles it. It holds no expected values: theory is computed.
 *
 * A row that came to mean something else has a new id. The old id stays in the list "retired" of
 * its document: {"id": "nori.old", "left": "why, and which row took its place"}. Sentences that no
 * row tests stand in the list "unclaimed": {"says": "the sentence", "why": "the reason"}.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_LEDGER_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_LEDGER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "filters/core/base.h"
#include "harness/document/experiment.h"

/*
 * ---- Claims (claimed.c) ----
 *
 * What a row claims: numbers, and the limits within which a measurement counts as them.
 *
 * By default the printed digits give the limits: half a unit of the last digit that is meant, on
 * either side. Zeros at the end of a whole number are not meant, but two digits always are.
 *
 *     "0.82"  0.815 .. 0.825        "8,100"  8050 .. 8150        "20"  19.5 .. 20.5
 *     "1.0"   0.95 .. 1.05          "100"    95 .. 105           "7"   6.5 .. 7.5
 *
 * A member "tolerance" says otherwise. Its first six members are the rule for all ledgers
 * (docs/explanation/verdicts-on-claims.md), so that equal statements have equal tolerances:
 *
 *     exact    true: the value alone ("never", "all of them")
 *     whole    true: a whole count, every digit of it: half of one on either side
 *     about    true: the digits, twice as wide, a zero at their end not meant; at most a quarter of
 *              the value
 *     same     true: "the same", "constant": within 5 %
 *     times    true: a ratio of times of another machine: a factor of 1.25 either way
 *     counted  true: what a text counted, in a sample of a size that it does not tell: within 3 %
 *     half     a number: so much on either side of every value
 *     low, high   the limits themselves, such as a range that is printed
 *     whose    "printed": from what the document prints; "words": from its words; "ours"
 *     why      in a few words, where the rule does not say it
 *
 * A bound ("<= 10") has one limit, its value, and no width; "tolerance" says whose it is.
 */

enum { FB_CLAIM_VALUES = 5 };

enum fb_relation { FB_EQUAL, FB_AT_MOST, FB_AT_LEAST, FB_BELOW, FB_ABOVE };
extern const char *const fb_relation_texts[]; /* "=", "<=", ">=", "<", ">"; ends with NULL */

enum fb_whose { FB_PRINTED, FB_WORDS, FB_OURS };
extern const char *const fb_whose_texts[]; /* "printed", "words", "ours"; ends with NULL */

/* Strings point into the ledger. */
struct fb_claimed {
    size_t n; /* numbers claimed; 0: words only */
    double value[FB_CLAIM_VALUES];
    double low[FB_CLAIM_VALUES], high[FB_CLAIM_VALUES]; /* limits; infinite where there is none */
    enum fb_relation relation; /* FB_BELOW, FB_ABOVE: the limit itself is not within */
    enum fb_whose whose;       /* the limits are */
    const char *why;           /* the limits are these; NULL: the digits say it */
    const char *unit;
    const char *text; /* the claim in words; NULL: the number is what was printed */
};

/* A number as printed and half a unit of its last digit that is meant. False if the text is not a
 * number. "0x1F" is 31 and nothing else: hexadecimal digits are not rounded. "1e-5" means one
 * digit. */
bool fb_printed_number(const char *printed, double *value, double *half);

/* The member "claimed" of a row. Returns what is wrong with it, or NULL. */
const char *fb_claimed_read(const json_t *claimed, struct fb_claimed *out);

/* Where an interval stands to the limits of value i. A point on a limit is within, unless the
 * relation excludes it. */
enum fb_standing { FB_WITHIN, FB_OUTSIDE, FB_BETWEEN };
enum fb_standing fb_claimed_stands(const struct fb_claimed *, size_t i, double low, double high);
/* The same of all values: outside if one is, else between if one is. */
enum fb_standing fb_claimed_stand(const struct fb_claimed *, const double *low, const double *high);

/* ---- Rows (ledger.c) ---- */

/* What is found decides what is judged. */
enum fb_nature {
    FB_COUNTED,     /* theory and measurement, equal on every machine: model and claim */
    FB_COMPUTED,    /* the same, but both are arithmetic: nothing that was built or run is seen */
    FB_TIMED,       /* what this machine does, mostly times; no theory of ours: the claim alone */
    FB_MACHINE_ONLY /* nanoseconds of one machine: printed, not judged */
};

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
    bool ours;   /* a finding of ours: no author wrote the sentence, and no number is claimed */
    bool unread; /* nobody here has read the source; the row knows it from others */
    bool own;    /* it takes a number of an experiment: a record own_measure (own.h) */
    enum fb_nature nature; /* of what is found */
};

/* Whether it is about times. */
static inline bool fb_claim_is_timed(const struct fb_claim *claim)
{
    return claim->nature >= FB_TIMED;
}

struct fb_ledger {
    const char *name;
    bool own;          /* the user's (own.h): `documents` has its title alone */
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
