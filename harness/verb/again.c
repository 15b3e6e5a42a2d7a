#include "harness/verb/again.h"

#include <string.h>

#include "harness/base/message.h"
#include "harness/base/output.h"
#include "harness/base/print.h"
#include "harness/document/check.h"
#include "harness/document/shown.h"
#include "harness/kind/advise/advise.h"

/* Fields that one which is given takes the place of. */
static const struct {
    const char *given, *resets;
    double to;
} places[] = {
    {"absent", "absent_low", -1},          {"absent", "absent_high", -1},
    {"bits_per_key", "memory", 0},         {"memory", "bits_per_key", 0},
    {"memory_price", "memory_dollars", 0}, {"memory_price", "read_dollars", 0},
    {"memory_price", "query_rate", 0},     {"memory_dollars", "memory_price", 0},
    {"device", "engine_read_low_ns", 0},   {"device", "engine_read_high_ns", 0},
};

/* The inputs of the question that is asked now, in their resolved form. */
static json_t *inputs_of(const json_t *document, const json_t *fields)
{
    json_t *inputs = json_deep_copy(json_object_get(document, "inputs"));
    inputs = inputs ? inputs : json_object();
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (json_object_get(fields, places[i].given))
            json_object_set_new(inputs, places[i].resets, json_real(places[i].to));
    json_object_update(inputs, (json_t *)fields);
    json_object_del(inputs, "kind");
    return inputs;
}

/* Sets "inputs" and the answer that follows. */
static bool ask(json_t *document, const json_t *fields, struct fb_problem *problem)
{
    struct fb_opened e = {0};
    struct fb_question again = {0};
    json_auto_t *inputs = inputs_of(document, fields);
    bool fine = fb_kind_open(json_object_get(document, "experiment"), &e, problem);
    json_object_set(document, "inputs", inputs);
    json_auto_t *ids = fine ? e.kind->ids(e.self, document, problem) : NULL;
    fine = ids && fb_question_again(e.self, document, &again, problem);
    FB_EACH_MEMBER(name, value, inputs)
        json_object_set(json_object_get(document, "inputs"), name,
                        json_object_get(again.document, name));
    fine = fine && e.kind->derive(e.self, document, problem);
    fb_question_close(&again);
    fb_kind_close(&e);
    return fine;
}

enum fb_exit fb_again(const char *path, const struct fb_run_options *o, const json_t *fields)
{
    json_auto_t *document = NULL;
    struct fb_problem problem;
    fb_refuse(&problem, "%s", fb_err_text(FB_ENOMEM));
    enum fb_exit code = fb_result_load(path, &document);
    if (!code)
        code = fb_document_trust(path, false, document);
    if (!code && (strcmp(fb_json_str(document, "kind"), "advise") != 0 ||
                  !json_is_object(json_object_get(document, "answer")))) {
        fb_error("%s: it has no answer to ask again; give a result of advise that finished", path);
        code = FB_EXIT_USAGE;
    }
    const char *engine = fb_json_str(document, "experiment.engine"),
               *costs = fb_json_str(fields, "costs_from");
    if (!code && *costs && strcmp(engine, "any") != 0 && strncmp(costs, engine, strlen(engine))) {
        fb_error("%s: the question is about %s, and these are costs of %.40s; give its own to --io",
                 path, engine, costs);
        code = FB_EXIT_NOT_COMPARABLE;
    }
    if (!code && !ask(document, fields, &problem)) {
        fb_error("%s: %s", path, problem.text);
        code = FB_EXIT_USAGE;
    }
    if (!code) {
        fb_result_finish(document, fb_json_num(document, "run.elapsed_s"), true);
        if (o->output)
            code = fb_output_write(o->output, document);
    }
    if (!code && o->format == FB_FORMAT_JSON)
        code = fb_print_answer(json_incref(document), FB_FORMAT_JSON, NULL);
    else if (!code && !(o->output && fb_output_is_stdout(o->output)))
        fb_document_table(stdout, document, &(struct fb_shown){.path = o->output});
    return code;
}
