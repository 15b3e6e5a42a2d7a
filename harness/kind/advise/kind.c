/* Kind "advise" of experiments. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/document/run.h"
#include "harness/document/user_keys.h"
#include "harness/engine/engine.h"
#include "harness/kind/advise/advise.h"

enum { SCREEN, SIZES, SURVEY, FINAL, PROOF, N_PARTS };
static const char *const part_names[N_PARTS] = {"screen", "sizes", "survey", "final", "proof"};

/* The proof is a part where it is asked for. */
static int n_parts(const struct fb_question *q)
{
    return json_is_true(json_object_get(q->document, "prove")) ? N_PARTS : PROOF;
}

static void prepare(json_t *given, const struct fb_run_options *o)
{
    /* Of keys that nobody gave: the hashes of some engines do not tell keys of padded numbers
     * apart, which the other kinds have. */
    json_object_set_new(given, "keys", json_string(o->keys ? "file" : "bin:16"));
}

static const json_t *open(void *self, const json_t *given, struct fb_problem *problem)
{
    struct fb_question *q = self;
    return fb_question_resolve(given, q, problem) ? q->document : NULL;
}

static void close(void *self)
{
    fb_question_close(self);
}

static enum fb_exit load(void *self, const struct fb_run_options *o, json_t **about)
{
    struct fb_question *q = self;
    struct fb_user_keys user = {0};
    struct fb_problem problem;
    enum fb_exit code = FB_EXIT_OK;
    if (o->keys && !strcmp(o->keys, "-")) {
        fb_error("%s: keys: they are read more than once; give a file in place of -", o->name);
        return FB_EXIT_USAGE;
    }
    if (o->keys && !q->file) {
        fb_error("%s: keys: the question is not about those of --keys; leave them out, or name "
                 "\"file\" there",
                 o->name);
        return FB_EXIT_USAGE;
    }
    if (n_parts(q) > PROOF) {
        const struct fb_engine *engine = fb_engine_find(fb_json_str(q->document, "engine"));
        if (!engine) {
            fb_error("%s: prove: in which engine? give --engine rocksdb or leveldb", o->name);
            return FB_EXIT_USAGE;
        }
        if (!fb_engine_load(engine))
            return FB_EXIT_USAGE;
    }
    if (o->keys)
        code = fb_user_keys_load(o->keys, o->keys_format, FB_USER_KEYS_SORTED, &user);
    if (!code && !fb_question_fill(q, user.about, &problem)) {
        fb_error("%s: %s", o->keys ? o->keys : o->name, problem.text);
        code = FB_EXIT_USAGE;
    }
    if (!code)
        *about = json_incref(user.about);
    fb_user_keys_close(&user);
    return code;
}

static json_t *plan(const void *self)
{
    const struct fb_question *q = self;
    json_t *rows = json_array();
    FB_EACH(name, json_object_get(q->document, "designs")) {
        const struct fb_design *design = fb_design_find(json_string_value(name));
        json_array_append_new(
            rows, json_pack("{s:O, s:s?}", "id", name, "why_not", fb_question_excludes(q, design)));
    }
    return rows;
}

/* ---- Running ---- */

static json_t *make(struct fb_question *q, int part, const json_t *document,
                    struct fb_problem *problem)
{
    if (part == SCREEN)
        return fb_advise_screen(q);
    if (part == SIZES)
        return fb_advise_sizes(q);
    if (part == SURVEY) {
        json_t *given = fb_advise_survey(q, document);
        if (json_array_size(json_object_get(given, "filters")))
            return given;
        json_auto_t *cells = fb_advise_cells(q, document);
        const json_t *first = json_array_get(cells, 0);
        FB_EACH(cell, cells) /* one that the question itself does not exclude */
            if (!fb_question_excludes(q, fb_design_find(fb_json_str(cell, "design"))))
                first = cell;
        if (*fb_json_str(first, "left_out"))
            fb_refuse(problem, "designs: none is left: %s: %.200s", fb_json_str(first, "id"),
                      fb_json_str(first, "left_out"));
        else if (fb_experiment_takes_size(q->document,
                                          fb_json_uint(q->document, "memory") ? "--memory" : "-b",
                                          q->unit_keys, problem))
            fb_refuse(problem,
                      "bits_per_key: no design has filters of at most %.6g bits per key; give more",
                      q->most_bits);
        json_decref(given);
        return NULL;
    }
    struct fb_weighed *w = malloc(sizeof *w);
    struct fb_advice a;
    json_t *given = NULL;
    if (w && fb_advise_open(q, q, document, w, &a, problem))
        given = part == FINAL ? fb_advise_final(q, w, document) : fb_advise_proof(&a);
    if (w && !given && part == PROOF)
        fb_refuse(problem,
                  "prove: the setting is none that the engine can be asked with: it has no "
                  "filter, or none in the last level; ask without --prove");
    free(w);
    return given;
}

static enum fb_exit run(void *self, const struct fb_run_options *o, struct fb_work *work,
                        json_t *document)
{
    struct fb_question *q = self;
    struct fb_problem problem;
    enum fb_exit code = fb_journal_expect(work->journal, (size_t)n_parts(q));
    json_t *parts = json_object();
    fb_refuse(&problem, "%s", fb_err_text(FB_ENOMEM));
    if (o->database)
        json_object_set(document, "database", (json_t *)o->database);
    json_object_set_new(document, "parts", parts);
    for (int part = 0; !code && part < n_parts(q); part++) {
        json_t *known = json_deep_copy(fb_journal_find(work->journal, part_names[part]));
        if (known) {
            json_object_set_new(parts, part_names[part], known);
            continue;
        }
        json_t *given = make(q, part, document, &problem), *made = NULL;
        const bool of_file =
            part != SIZES &&
            !strcmp(part == SCREEN || part == PROOF ? fb_json_str(q->document, "keys") : q->keys,
                    "file");
        const struct fb_run_options options = {.name = part_names[part],
                                               .keys = of_file ? o->keys : NULL,
                                               .keys_format = of_file ? o->keys_format : NULL,
                                               .threads = o->threads,
                                               .io = part == PROOF ? o->io : NULL,
                                               .argc = o->argc,
                                               .argv = o->argv};
        if (!given) {
            fb_error("%s: %s", o->name, problem.text);
            return FB_EXIT_USAGE;
        }
        code = fb_run_part(&options, given, &made);
        if (made)
            json_object_set_new(parts, part_names[part], made);
        if (!code)
            code = fb_journal_add(work->journal, part_names[part], made);
        json_decref(given);
    }
    return code;
}

/* ---- Of a document ---- */

static json_t *ids(void *self, const json_t *document, struct fb_problem *problem)
{
    struct fb_question *q = self;
    if (!fb_question_fill(q, json_object_get(document, "key_file"), problem))
        return NULL;
    json_auto_t *rows = plan(self);
    json_t *ids = json_object();
    FB_EACH(row, rows)
        json_object_set_new(ids, fb_json_str(row, "id"), json_true());
    return ids;
}

/* Whether a part is of the experiment that the question asks for. */
static bool is_asked(struct fb_question *q, int part, const json_t *document,
                     struct fb_problem *problem)
{
    const json_t *made = json_object_get(json_object_get(document, "parts"), part_names[part]);
    struct fb_opened e = {0};
    json_auto_t *given = make(q, part, document, problem);
    bool asked = given && fb_kind_open(given, &e, problem);
    if (asked && strcmp(e.hash_hex, fb_json_str(made, "experiment_hash")) != 0)
        asked = fb_refuse(problem,
                          "parts.%s: its experiment is not the one that follows from the "
                          "question and the parts before",
                          part_names[part]);
    fb_kind_close(&e);
    return asked;
}

static bool derive(void *self, json_t *document, struct fb_problem *problem)
{
    struct fb_question *q = self;
    const json_t *parts = json_object_get(document, "parts");
    for (int part = 0; part < n_parts(q); part++)
        if (json_object_get(parts, part_names[part]) && !is_asked(q, part, document, problem))
            return false;
    json_object_set_new(document, "cells", fb_advise_cells(q, document));
    return fb_advise_answer(q, document, problem);
}

static json_t *exact(const json_t *cell)
{
    static const char *const members[] = {"id", "design", NULL};
    return fb_json_members(cell, members);
}

static const char *const options[] = {"keys", "keys-format", "threads", NULL};

const struct fb_kind fb_kind_advise = {
    .name = "advise",
    .summary = "which filter to use, for given keys, memory, tree and disk",
    .unit = "designs",
    .fields = fb_advise_fields,
    .options = options,
    .prepare = prepare,
    .self_bytes = sizeof(struct fb_question),
    .open = open,
    .close = close,
    .load = load,
    .plan = plan,
    .run = run,
    .ids = ids,
    .derive = derive,
    .exact = exact,
    .card = fb_advise_card,
    .table = fb_advise_table,
    .figures = fb_advise_figures,
};
