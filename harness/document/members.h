/*
 * The members of result documents. harness/kind/KIND/members.txt describes what documents of one
 * kind have, harness/document/members.txt what all have and how such a table is written. The JSON
 * schema, what readers refuse, `describe MEMBER` and `list members` come from these tables alone.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_MEMBERS_H
#define FILTERBENCH_HARNESS_DOCUMENT_MEMBERS_H

#include <jansson.h>
#include <stdio.h>

/* The schema of result documents: JSON Schema 2020-12, what `list schema` prints. Beside the
 * keywords of the standard, a member has "x-type", its type as the table writes it, "x-unit" and
 * "x-nature". Static; made at the first call, which one thread makes. */
const json_t *fb_schema(void);

/* The part that holds documents of that kind: its own members. NULL: no kind has that name. */
const json_t *fb_schema_of_kind(const char *kind);

/* Appends a row {record, member, type, unit, nature, meaning} for each member of that name, or
 * where `name` is NULL for every one; "fpr.model" or "model.value" ask for one of a record. */
void fb_members_list(const char *name, json_t *rows);

/* The member at such a path in documents of that kind, "cells.fpr.estimate", as its part of the
 * schema. It need not have the names of a map or of a list. NULL: there is none. */
const json_t *fb_member_at(const char *kind, const char *path);

/* All of them as a page of Markdown: a section for each record. */
void fb_members_page(FILE *);

/*
 * NULL where the document has the shape that its kind's tables ask for and every number keeps its
 * limits. Otherwise what is wrong, with the member named: "cells[leveldb/...].fpr.estimate: 1.5 is
 * above 1". Static, until the next call. The experiment's own members are not looked at: its kind
 * reads them (fb_kind_open).
 */
const char *fb_shape_wrong(const json_t *document);

/* The same of what a journal keeps of a step of such a run, lists of cells or what a part of the
 * run is; what is derived may be missing. Members that no document has are not looked at. */
const char *fb_step_wrong(const char *kind, const json_t *record);

/* The same of a value that should be a record of that name, "own_claim". */
const char *fb_record_wrong(const char *record, const json_t *value);

#endif
