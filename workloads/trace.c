#include "workloads/core/trace.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t MAX_SIZE = UINT64_C(1) << 32;

struct text {
    const uint8_t *at;
    size_t n;
};

/* One line into the trace; NULL or what was wrong. */
typedef const char *line_reader(struct fb_trace *, struct text);

/* ---- Pieces of a line ---- */

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t';
}

static struct text next_token(struct text *line)
{
    while (line->n && is_blank(*line->at))
        line->at++, line->n--;
    struct text token = {line->at, 0};
    while (line->n && !is_blank(*line->at))
        line->at++, line->n--, token.n++;
    return token;
}

static bool read_number(struct text t, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < t.n; i++) {
        if (t.at[i] < '0' || t.at[i] > '9' || *value > MAX_SIZE)
            return false;
        *value = *value * 10 + (uint64_t)(t.at[i] - '0');
    }
    return t.n && *value <= MAX_SIZE;
}

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static const char *push_escaped(struct fb_trace *trace, struct text t)
{
    struct fb_keyset *keys = &trace->keys;
    uint8_t *to = keys->bytes + keys->offset[keys->keys.n];
    size_t len = 0;
    for (size_t i = 0; i < t.n; i++, len++) {
        to[len] = t.at[i];
        if (t.at[i] != '%')
            continue;
        int high = t.n - i > 2 ? hex_digit(t.at[i + 1]) : -1;
        int low = t.n - i > 2 ? hex_digit(t.at[i + 2]) : -1;
        if (high < 0 || low < 0)
            return "after % in a key: two hexadecimal digits; % itself is %25";
        to[len] = (uint8_t)(high << 4 | low);
        i += 2;
    }
    fb_keyset_push(keys, NULL, 0, FB_KEY_BYTES);
    keys->offset[keys->keys.n] += len;
    return NULL;
}

static const char *push_plain(struct fb_trace *trace, struct text t)
{
    fb_keyset_push(&trace->keys, t.at, t.n, FB_KEY_BYTES);
    return NULL;
}

static void push_op(struct fb_trace *trace, enum fb_trace_kind kind, size_t n_keys, uint64_t size)
{
    trace->ops[trace->n_ops++] =
        (struct fb_trace_op){size, (uint32_t)(trace->keys.keys.n - n_keys), kind};
}

/* ---- A letter, keys, and what follows ---- */

enum tail { NOTHING, NUMBER, TEXT };

struct form {
    char letter;
    bool prefix; /* the one key ends in * */
    enum fb_trace_kind kind;
    unsigned n_keys;
    enum tail tail;
    const char *usage;
};

struct language {
    struct form form[6];
    const char *(*push_key)(struct fb_trace *, struct text);
    char comment;
    const char *usage;
};

static const struct language ops = {
    {
        {'g', false, FB_TRACE_GET, 1, NOTHING, "g takes one key: g KEY"},
        {'p', false, FB_TRACE_PUT, 1, NUMBER,
         "p takes a key and the bytes of its value, at most 2^32: p KEY VLEN"},
        {'d', false, FB_TRACE_DELETE, 1, NOTHING, "d takes one key: d KEY"},
        {'s', true, FB_TRACE_PREFIX_SCAN, 1, NUMBER,
         "a scan of a prefix takes a limit (0: none): s PREFIX* LIMIT"},
        {'s', false, FB_TRACE_SCAN, 2, NUMBER,
         "s takes two keys and a limit (0: none), or a prefix: s START END LIMIT, s PREFIX* LIMIT"},
    },
    push_escaped,
    '#',
    "accepted are g KEY, p KEY VLEN, d KEY, s START END LIMIT, s PREFIX* LIMIT and # comments",
};

static const struct language kvgen = {
    {
        {'I', false, FB_TRACE_PUT, 1, TEXT, "I takes a key and a value: I KEY VALUE"},
        {'U', false, FB_TRACE_PUT, 1, TEXT, "U takes a key and a value: U KEY VALUE"},
        {'Q', false, FB_TRACE_GET, 1, NOTHING, "Q takes one key: Q KEY"},
        {'D', false, FB_TRACE_DELETE, 1, NOTHING, "D takes one key: D KEY"},
        {'S', false, FB_TRACE_SCAN, 2, NOTHING, "S takes two keys: S START END"},
    },
    push_plain,
    '\0',
    "accepted are I KEY VALUE, U KEY VALUE, Q KEY, D KEY and S START END; range deletes are not",
};

static const struct form *find_form(const struct language *l, struct text letter, struct text rest)
{
    struct text key = next_token(&rest);
    bool starred = key.n && key.at[key.n - 1] == '*';
    for (const struct form *f = l->form; letter.n == 1 && f->letter; f++)
        if (f->letter == (char)*letter.at && (!f->prefix || starred))
            return f;
    return NULL;
}

static const char *read_form(const struct language *l, struct fb_trace *trace, struct text line)
{
    struct text letter = next_token(&line);
    if (l->comment && *letter.at == (uint8_t)l->comment)
        return NULL;
    const struct form *form = find_form(l, letter, line);
    if (!form)
        return l->usage;
    for (unsigned i = 0; i < form->n_keys; i++) {
        struct text key = next_token(&line);
        if (!key.n)
            return form->usage;
        key.n -= form->prefix;
        const char *wrong = l->push_key(trace, key);
        if (wrong)
            return wrong;
    }
    uint64_t size = 0;
    struct text last = next_token(&line);
    if (form->tail == NUMBER ? !read_number(last, &size) : (last.n != 0) != (form->tail == TEXT))
        return form->usage;
    if (form->tail == TEXT)
        size = last.n;
    if (next_token(&line).n)
        return form->usage;
    push_op(trace, form->kind, form->n_keys, size);
    return NULL;
}

static const char *read_ops(struct fb_trace *trace, struct text line)
{
    return read_form(&ops, trace, line);
}

static const char *read_kvgen(struct fb_trace *trace, struct text line)
{
    return read_form(&kvgen, trace, line);
}

/* ---- Twitter ---- */

static const struct {
    const char *name;
    enum fb_trace_kind kind;
} twitter_ops[] = {
    {"get", FB_TRACE_GET},    {"gets", FB_TRACE_GET},      {"set", FB_TRACE_PUT},
    {"add", FB_TRACE_PUT},    {"replace", FB_TRACE_PUT},   {"cas", FB_TRACE_PUT},
    {"append", FB_TRACE_PUT}, {"prepend", FB_TRACE_PUT},   {"incr", FB_TRACE_PUT},
    {"decr", FB_TRACE_PUT},   {"delete", FB_TRACE_DELETE},
};

static bool find_twitter_op(struct text name, enum fb_trace_kind *kind)
{
    for (size_t i = 0; i < sizeof twitter_ops / sizeof *twitter_ops; i++)
        if (name.n == strlen(twitter_ops[i].name) &&
            !memcmp(name.at, twitter_ops[i].name, name.n)) {
            *kind = twitter_ops[i].kind;
            return true;
        }
    return false;
}

/* Cuts the last field, and the comma before it, off the line. */
static bool last_field(struct text *line, struct text *field)
{
    size_t end = line->n;
    while (line->n && line->at[line->n - 1] != ',')
        line->n--;
    *field = (struct text){line->at + line->n, end - line->n};
    if (!line->n)
        return false;
    line->n--;
    return true;
}

static const char *read_twitter(struct fb_trace *trace, struct text line)
{
    enum { KLEN, VLEN, CLIENT, OP, TTL, N_FIELDS };
    static const char seven[] = "seven fields are accepted: timestamp,key,klen,vlen,client,op,ttl";
    struct text field[N_FIELDS], time = {line.at, 0};
    uint64_t number, size;
    enum fb_trace_kind kind = FB_TRACE_GET;
    for (int i = N_FIELDS; i-- > 0;)
        if (!last_field(&line, &field[i]))
            return seven;
    while (time.n < line.n && time.at[time.n] != ',')
        time.n++;
    if (time.n == line.n)
        return seven;
    if (!read_number(time, &number) || !read_number(field[KLEN], &number) ||
        !read_number(field[VLEN], &size))
        return "timestamp, klen and vlen must be decimal integers of at most 2^32";
    if (!find_twitter_op(field[OP], &kind))
        return "op: accepted are get, gets, set, add, replace, cas, append, prepend, delete, incr "
               "and "
               "decr";
    push_plain(trace, (struct text){time.at + time.n + 1, line.n - time.n - 1});
    push_op(trace, kind, 1, kind == FB_TRACE_PUT ? size : 0);
    return NULL;
}

/* ---- A whole trace ---- */

const struct fb_word fb_traceformats[] = {
    {"ops", "g KEY, p KEY VLEN, d KEY, s START END LIMIT, s PREFIX* LIMIT; keys percent-escaped"},
    {"twitter", "timestamp,key,klen,vlen,client,op,ttl, Twitter's cache traces"},
    {"kvgen", "I KEY VALUE, U KEY VALUE, Q KEY, D KEY, S START END, the K-V-Workload-Generator"},
    {0},
};

static line_reader *const readers[] = {read_ops, read_twitter, read_kvgen}; /* same order */

static line_reader *find_reader(const char *name)
{
    for (size_t i = 0; fb_traceformats[i].name; i++)
        if (!strcmp(fb_traceformats[i].name, name))
            return readers[i];
    return NULL;
}

bool fb_traceformat_valid(const char *name)
{
    return find_reader(name) != NULL;
}

void fb_trace_close(struct fb_trace *trace)
{
    fb_keyset_close(&trace->keys);
    free(trace->ops);
    memset(trace, 0, sizeof *trace);
}

/* The line at the start of `rest`, without its newline, cut off it. */
static struct text next_line(struct text *rest)
{
    const uint8_t *newline = memchr(rest->at, '\n', rest->n);
    struct text line = {rest->at, newline ? (size_t)(newline - rest->at) : rest->n};
    size_t used = line.n + (newline != NULL);
    rest->at += used;
    rest->n -= used;
    if (line.n && line.at[line.n - 1] == '\r')
        line.n--;
    return line;
}

static bool is_empty(struct text line)
{
    return !next_token(&line).n;
}

static enum fb_err alloc_trace(struct text data, struct fb_trace *out)
{
    size_t n = 0;
    for (struct text rest = data; rest.n;)
        n += !is_empty(next_line(&rest));
    if (n > UINT32_MAX / 2)
        return FB_ENOMEM;
    out->ops = malloc((n + 1) * sizeof *out->ops);
    enum fb_err err = fb_keyset_alloc(2 * n, data.n, false, &out->keys);
    return out->ops ? err : FB_ENOMEM;
}

enum fb_err fb_trace_parse(const char *format, const uint8_t *data, size_t n_bytes,
                           struct fb_trace *out, struct fb_trace_error *error)
{
    struct text rest = {data, n_bytes};
    line_reader *reader = find_reader(format);
    memset(out, 0, sizeof *out);
    *error = (struct fb_trace_error){0};
    if (!reader) {
        error->what = "not a format of traces";
        return FB_EINVAL;
    }
    enum fb_err err = alloc_trace(rest, out);
    while (!err && rest.n) {
        struct text line = next_line(&rest);
        error->line++;
        error->what = is_empty(line) ? NULL : reader(out, line);
        if (error->what)
            err = FB_EINVAL;
    }
    if (err)
        fb_trace_close(out);
    return err;
}
