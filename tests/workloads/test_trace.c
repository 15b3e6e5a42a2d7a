/* Traces: what each format accepts and what it says about everything else. */
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/core/trace.h"

/* Operations one after the other: kind, hexadecimal key (- where it is empty), a second one, size.
 */
struct accepted {
    const char *format, *file, *ops;
};

static const struct accepted accepted[] = {
    {"ops", "", ""},
    {"ops", "\n\n# nothing\n  \n\t# nothing\n", ""},
    {"ops", "g a", "get 61;"},
    {"ops", "g a\np b 100\nd c\n", "get 61;put 62 100;delete 63;"},
    {"ops", "  g \t a  \r\n", "get 61;"},
    {"ops", "g %00%fF%20%23%25*\n", "get 00ff2023252a;"},
    {"ops", "p k 4294967296\np k 0\n", "put 6b 4294967296;put 6b 0;"},
    {"ops", "s a b 10\ns ab* 5\ns * 0\ns a* b* 1\n", NULL},
    {"ops", "s a b 10\ns ab* 5\ns * 0\ns a%2a b* 1\n",
     "scan 61 62 10;prefix 6162 5;prefix - 0;scan 612a 622a 1;"},
    {"ops", "g #a\n", "get 2361;"},
    {"twitter", "0,nz:u:eeW5,8,300,13,get,0\n1,k,1,7,0,set,60\n",
     "get 6e7a3a753a65655735;put 6b 7;"},
    {"twitter", "0,a,b,3,300,13,gets,0\r\n9,,0,0,0,delete,0", "get 612c62;delete -;"},
    {"twitter",
     "0,a,1,1,0,add,0\n0,a,1,2,0,replace,0\n0,a,1,3,0,cas,0\n0,a,1,4,0,append,0\n0,a,1,5,0,prepend,"
     "0\n"
     "0,a,1,6,0,incr,0\n0,a,1,7,0,decr,0\n",
     "put 61 1;put 61 2;put 61 3;put 61 4;put 61 5;put 61 6;put 61 7;"},
    {"kvgen", "I 12 abcde\nU 12 a\nQ 12\nD 12\nS 10 20\nQ %41\n",
     "put 3132 5;put 3132 1;get 3132;delete 3132;scan 3130 3230 0;get 253431;"},
};

static size_t print_key(const struct fb_keys *keys, size_t i, char *to)
{
    size_t n = (size_t)sprintf(to, fb_key_len(keys, i) ? " " : " -");
    for (size_t j = 0; j < fb_key_len(keys, i); j++)
        n += (size_t)sprintf(to + n, "%02x", fb_key_at(keys, i)[j]);
    return n;
}

static void print_ops(const struct fb_trace *t, char *to)
{
    static const char *const names[] = {"get", "put", "delete", "scan", "prefix"};
    size_t n = 0;
    for (size_t i = 0; i < t->n_ops; i++) {
        const struct fb_trace_op *op = &t->ops[i];
        n += (size_t)sprintf(to + n, "%s", names[op->kind]);
        n += print_key(&t->keys.keys, op->key, to + n);
        if (op->kind == FB_TRACE_SCAN)
            n += print_key(&t->keys.keys, op->key + 1, to + n);
        if (op->kind != FB_TRACE_GET && op->kind != FB_TRACE_DELETE)
            n += (size_t)sprintf(to + n, " %llu", (unsigned long long)op->size);
        n += (size_t)sprintf(to + n, ";");
    }
    to[n] = '\0';
}

static enum fb_err parse(const char *format, const char *file, struct fb_trace *out,
                         struct fb_trace_error *error)
{
    size_t n = strlen(file);
    uint8_t *exact = malloc(n + !n); /* so that a sanitizer sees a read behind the end */
    memcpy(exact, file, n);
    enum fb_err err = fb_trace_parse(format, exact, n, out, error);
    free(exact);
    return err;
}

TEST(what_is_accepted)
{
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        closed_by(fb_trace_close) struct fb_trace trace = {0};
        struct fb_trace_error error;
        char text[1024] = "";
        enum fb_err err = parse(accepted[i].format, accepted[i].file, &trace, &error);
        if (!accepted[i].ops) {
            assert_int_equal(err, FB_EINVAL);
            assert_int_equal(error.line, 4);
            continue;
        }
        if (err)
            fail_msg("case %zu, line %d: %s", i, (int)error.line, error.what);
        print_ops(&trace, text);
        assert_string_equal(text, accepted[i].ops);
    }
}

static const struct {
    const char *format, *file;
    uint64_t line;
    const char *what; /* part of it */
} refused[] = {
    {"ops", "g a\nx b\n", 2, "g KEY, p KEY VLEN, d KEY, s START END LIMIT"},
    {"ops", "#\n\n\nget a\n", 4, "accepted are g KEY"},
    {"ops", "g\n", 1, "g takes one key"},
    {"ops", "g a b\n", 1, "g takes one key"},
    {"ops", "p a\n", 1, "p KEY VLEN"},
    {"ops", "p a -1\n", 1, "p KEY VLEN"},
    {"ops", "p a 4294967297\n", 1, "2^32"},
    {"ops", "p a 99999999999999999999999999\n", 1, "2^32"},
    {"ops", "p a 1 1\n", 1, "p KEY VLEN"},
    {"ops", "d \n", 1, "d KEY"},
    {"ops", "g a%\n", 1, "%25"},
    {"ops", "g a%4\n", 1, "hexadecimal"},
    {"ops", "g a%4g\n", 1, "hexadecimal"},
    {"ops", "s a\n", 1, "s START END LIMIT"},
    {"ops", "s a b\n", 1, "s START END LIMIT"},
    {"ops", "s a b c\n", 1, "s START END LIMIT"},
    {"ops", "s a*\n", 1, "s PREFIX* LIMIT"},
    {"ops", "s a* 1 2\n", 1, "s PREFIX* LIMIT"},
    {"twitter", "timestamp,key,klen,vlen,client,op,ttl\n", 1, "decimal integers"},
    {"twitter", "0,a,1,1,0,get,0\n0,a,1,1,0,touch,0\n", 2, "get, gets, set"},
    {"twitter", "0,a,1,1,0,get\n", 1, "seven fields"},
    {"twitter", "0,a,1,,0,get,0\n", 1, "vlen"},
    {"twitter", "get a\n", 1, "seven fields"},
    {"twitter", ",,,,,,\n", 1, "decimal integers"},
    {"kvgen", "I 1\n", 1, "I KEY VALUE"},
    {"kvgen", "I 1 a b\n", 1, "I KEY VALUE"},
    {"kvgen", "Q 1\nR 1 2\n", 2, "range deletes are not"},
    {"kvgen", "S 1\n", 1, "S START END"},
    {"kvgen", "# 1\n", 1, "accepted are I KEY VALUE"},
    {"csv", "g a\n", 0, "not a format"},
};

TEST(what_is_refused)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct fb_trace trace;
        struct fb_trace_error error;
        enum fb_err err = parse(refused[i].format, refused[i].file, &trace, &error);
        if (err != FB_EINVAL || error.line != refused[i].line ||
            !strstr(error.what, refused[i].what))
            fail_msg("case %zu: %d, line %d: %s", i, (int)err, (int)error.line,
                     error.what ? error.what : "");
        assert_null(trace.ops);
    }
}

TEST(formats_are_listed)
{
    for (const struct fb_word *f = fb_traceformats; f->name; f++)
        assert_true(fb_traceformat_valid(f->name) && f->summary);
    assert_false(fb_traceformat_valid("lines"));
}

TESTS(NULL, NULL)
