/* What a report says of results beside their tables. */
#include "tests/documents.h"

#include <time.h>

#include "harness/report/page.h"

#define OF(n, cells) "{'kind': 'kernels', 'experiment': {'n': " n "}, 'cells': [" cells "]}"
#define X            "{'id': 'x', 'filter': {'n_keys': 5}}"
#define Y            "{'id': 'y', 'filter': {'n_keys': 6}}"
#define OTHER        "{'id': 'y', 'filter': {'n_keys': 7}}"
#define BOTH         OF("1", X "," Y)

/* Which facts, of which documents, the last of which has the names; runs of tags are "|". */
static const struct {
    char which; /* machine and run, provenance, experiment, what is missing, = */
    const char *documents, *said;
} all[] = {
    {'m',
     "{'machine': {'cpu_model': 'Z', 'arch': 'arm'}, 'run': {'complete': true, "
     "'started': '2025-11-30T01'}}",
     "Z (arm) 0 30 November 2025"},
    {'m', "{'machine': {'arch': 'arm'}, 'run': {'complete': false}}", "unknown processor (arm) 1 "},
    {'m', "{'run': {'started': '2026-11'}}", "unknown processor () 1 2026-11"},
    {'p',
     "{'run': {'complete': true, 'started': 's', 'elapsed_s': 12.34567, 'argv': ['a', 'b'], "
     "'seed_root': 7, 'plugins': [{'p': 1, 'q': null}, 'r']}, 'experiment_hash': 'e', 'key_file': "
     "{'name': 'k', 'n': [2, 3]}, 'tool': {'version': 'v', 'git': 'g'}, 'machine': {'cpu_model': "
     "'m', 'arch': 'x<y', 'cores': 4, 'isa': ['i', 'j'], 'caches_bytes': {'L1': 5}, "
     "'memory_bytes': 6000000000, 'kernel': 'l', 'libc': 'c'}, 'build': {'compiler': 'd', 'type': "
     "'t', "
     "'flags': 'f', 'xxhash': 'h', 'jansson': 'o'}, 'content_xxh3_128': 'z'}, "
     "{'run': {'complete': false, 'seed_root': 8}}, ['f', 'g']",
     "|\n|A: f|B: g|\n|complete|yes|no|\n|started|s|-|\n|seconds|12.35|-|\n|command|a b|-|\n"
     "|root of all seeds|7|8|\n|experiment|e|-|\n|keys|name k, n 2, 3|-|\n|version|v|-|\n"
     "|commit|g|-|\n|processor|m|-|\n|architecture|x&lt;y|-|\n|cores|4|-|\n"
     "|instruction sets|i, j|-|\n|caches, bytes|L1 5|-|\n|memory, "
     "bytes|6000000000|-|\n|kernel|l|-|\n"
     "|C library|c|-|\n|compiler|d|-|\n|build|t|-|\n|flags|f|-|\n|xxHash|h|-|\n|jansson|o|-|\n"
     "|plugins|p 1, q -, r|-|\n|content|z|-|\n|\n"},
    {'p', "{'run': {'complete': true, 'plugins': null}}, ['f']", "|\n|f|\n|complete|yes|\n|\n"},
    {'e', "{'experiment': {'a': 'x<y', 'b': 0.1}}",
     "|The experiment, with every field|\n|{\n"
     "  &quot;a&quot;: &quot;x&lt;y&quot;,\n  &quot;b&quot;: 0.1\n}|\n"},
    {'w',
     "{'warnings': [{'cell': 'c', 'detail': 'x<y'}, {'detail': 'd'}], 'skipped': "
     "[{'id': 'i', 'why': 'w'}, {'id': 'j', 'why': 'v'}]}",
     "|\n|B: c: x&lt;y|\n|B: d|\n|\n|B: Not measured: 2|\n|i|: w|\n|j|: v|\n|\n"},
    {'w', "{'warnings': [], 'skipped': [{'id': 'i', 'why': 'w'}]}",
     "|B: Not measured: 1|\n|i|: w|\n|\n"},
    {'w', "{'warnings': [{'detail': 'd'}], 'skipped': []}", "|\n|B: d|\n|\n"},
    {'=', BOTH, "2 []"},
    {'=', BOTH "," OF("1", Y "," X), "2 []"},
    {'=', BOTH "," OF("1", X) "," BOTH, "1 []"},
    {'=', BOTH "," OF("1", X "," OTHER) "," OF("1", X "," OTHER),
     "1 [{\"id\":\"y\",\"differs\":\"filter.n_keys\"}]"},
    {'=', BOTH "," OF("1", X) "," OF("1", OTHER),
     "0 [{\"id\":\"y\",\"differs\":\"filter.n_keys\"}]"},
    {'=', BOTH "," OF("2", X) "," BOTH, "0 null"},
    {'=', BOTH "," BOTH "," OF("2", X), "0 null"},
};

TEST(facts)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char which = all[i].which;
        char told[2000], said[2000] = "", date[40], *text = NULL;
        size_t size, n_equal, n = 0;
        FILE *file = open_memstream(&text, &size);
        snprintf(told, sizeof told, "[%s]", all[i].documents);
        json_t *documents = quoted(told), *differing = NULL;
        const json_t *each[] = {json_array_get(documents, 0), json_array_get(documents, 1),
                                json_array_get(documents, 2)};
        fb_facts_date(*each, date, sizeof date);
        if (which == 'm') {
            fb_facts_machine(file, *each);
            fprintf(file, " %d %s", fb_facts_partial(*each), date);
        } else if (which == 'p')
            fb_facts_provenance(file, each, each[json_array_size(documents) - 1]);
        else if (which == 'e')
            fb_facts_experiment(file, *each);
        else if (which == 'w')
            fb_facts_missing(file, *each, "B: ");
        else {
            differing = fb_facts_differing(each, json_array_size(documents), &n_equal);
            fprintf(file, "%zu ", n_equal);
            json_dumpf(differing ? differing : json_null(), file, JSON_COMPACT | JSON_ENCODE_ANY);
        }
        fclose(file);
        for (const char *c = text; *c; c += *c == '<' ? strcspn(c, ">") + 1 : 1)
            if (*c != '<' || !n || said[n - 1] != '|')
                said[n++] = (char)(*c == '<' ? '|' : *c);
        assert_string_equal(said, all[i].said);
        free(text);
        json_decref(differing);
        json_decref(documents);
    }
}

TEST(months)
{
    for (int month = 0; month <= 13; month++) {
        char started[20], said[40], expected[40];
        snprintf(started, sizeof started, "2026-%02d-09", month);
        json_t *document = json_pack("{s:{s:s}}", "run", "started", started);
        fb_facts_date(document, said, sizeof said);
        strftime(expected, sizeof expected, month % 13 ? "9 %B 2026" : started,
                 &(struct tm){.tm_mon = month - 1});
        assert_string_equal(said, expected);
        json_decref(document);
    }
}

TESTS(NULL, NULL)
