/* Comma-separated values as RFC 4180 has them: lines end with LF or CR LF, a field in quotes may
 * hold commas, line ends and doubled quotes. */
#include <stdlib.h>
#include <string.h>

#include "workloads/core/decimal.h"
#include "workloads/core/keyfile.h"

struct csv {
    const uint8_t *data;
    size_t n_bytes, at;
    uint64_t line; /* of `at`, from 1 */
};

/* A field as it is read: where its bytes go. to NULL: they are skipped. */
struct field {
    uint8_t *to;
    size_t len;
    bool last; /* of its record */
};

static void put(struct field *f, uint8_t byte)
{
    if (f->to)
        f->to[f->len] = byte;
    f->len++;
}

/* At a comma or the end of a line or of the file; steps behind it. */
static bool end_of_field(struct csv *c, struct field *f)
{
    size_t at = c->at;
    if (at < c->n_bytes && c->data[at] == ',') {
        c->at++;
        f->last = false;
        return true;
    }
    if (at < c->n_bytes && c->data[at] == '\r')
        at++;
    if (at < c->n_bytes && c->data[at] != '\n')
        return false;
    c->line += at < c->n_bytes;
    c->at = at + (at < c->n_bytes);
    f->last = true;
    return true;
}

static const char *read_quoted(struct csv *c, struct field *f)
{
    for (c->at++; c->at < c->n_bytes; c->at++) {
        uint8_t byte = c->data[c->at];
        if (byte == '"') {
            bool doubled = c->at + 1 < c->n_bytes && c->data[c->at + 1] == '"';
            c->at++;
            if (!doubled)
                return end_of_field(c, f) ? NULL
                                          : "text behind a closing quote; a quote inside a quoted "
                                            "field is written twice";
        }
        c->line += byte == '\n';
        put(f, byte);
    }
    return "a quoted field that is never closed";
}

/* NULL, or what is wrong with it. */
static const char *read_field(struct csv *c, struct field *f)
{
    f->len = 0;
    if (c->at < c->n_bytes && c->data[c->at] == '"')
        return read_quoted(c, f);
    while (!end_of_field(c, f)) {
        if (c->data[c->at] == '"')
            return "a quote inside a field that does not begin with one";
        put(f, c->data[c->at++]);
    }
    return NULL;
}

static enum fb_err malformed(struct fb_keyfile_error *error, uint64_t line, size_t offset,
                             const char *what)
{
    *error = (struct fb_keyfile_error){line, offset, what};
    return FB_EINVAL;
}

static void skip_byte_order_mark(struct csv *c)
{
    static const uint8_t mark[] = {0xEF, 0xBB, 0xBF};
    if (c->n_bytes >= sizeof mark && !memcmp(c->data, mark, sizeof mark))
        c->at = sizeof mark;
}

/* Number of the column of that name; `scratch` holds any field. */
static enum fb_err find_column(struct csv *c, const char *name, uint8_t *scratch, uint64_t *number,
                               struct fb_keyfile_error *error)
{
    struct field f = {.to = scratch};
    skip_byte_order_mark(c);
    *number = 0;
    for (uint64_t column = 1; !f.last; column++) {
        uint64_t line = c->line;
        size_t start = c->at;
        const char *what = read_field(c, &f);
        if (what)
            return malformed(error, line, start, what);
        if (!*number && f.len == strlen(name) && !memcmp(scratch, name, f.len))
            *number = column;
    }
    return *number
               ? FB_OK
               : malformed(error, 1, 0, "no column of that name; the first line names the columns");
}

/* The record from c->at on: its column becomes a key. */
static enum fb_err read_record(struct csv *c, uint64_t number, struct fb_keyset *out,
                               struct fb_keyfile_error *error)
{
    uint64_t first_line = c->line;
    size_t first = c->at, len = 0;
    bool met = false;
    struct field f = {0};
    for (uint64_t column = 1; !f.last; column++) {
        uint64_t line = c->line;
        size_t start = c->at;
        f.to = column == number ? out->bytes + out->offset[out->keys.n] : NULL;
        const char *what = read_field(c, &f);
        if (what)
            return malformed(error, line, start, what);
        if (f.to) {
            met = true;
            len = f.len;
        }
    }
    if (!met)
        return malformed(error, first_line, first, "fewer columns than the one that is asked for");
    fb_keyset_push(out, NULL, 0, FB_KEY_BYTES);
    out->offset[out->keys.n] += len;
    return FB_OK;
}

bool fb_csv_column(const char *column, uint64_t *number)
{
    const char *end = column;
    *number = 0;
    if (column[strspn(column, "0123456789")])
        return true;
    return fb_count_read(&end, number) && *number >= 1 && *number <= FB_MOST_FIXED;
}

static bool blank_line(const struct csv *c)
{
    size_t at = c->at + (c->data[c->at] == '\r');
    return at < c->n_bytes && c->data[at] == '\n';
}

enum fb_err fb_csv_parse(const char *column, const uint8_t *data, size_t n_bytes,
                         struct fb_keyset *out, struct fb_keyfile_error *error)
{
    struct csv c = {.data = data, .n_bytes = n_bytes, .line = 1};
    uint64_t number;
    size_t n = 1;
    if (!fb_csv_column(column, &number))
        return malformed(error, 0, 0, "unknown key format");
    for (size_t i = 0; i < n_bytes; i++)
        n += data[i] == '\n';
    enum fb_err err = fb_keyset_alloc(n, n_bytes, false, out);
    if (!err && !number)
        err = find_column(&c, column, out->bytes, &number, error);
    while (!err && c.at < n_bytes) {
        struct field line_end;
        if (blank_line(&c))
            end_of_field(&c, &line_end);
        else
            err = read_record(&c, number, out, error);
    }
    return err;
}

size_t fb_csv_first(const uint8_t *data, size_t n_bytes, char *names)
{
    struct csv c = {.data = data, .n_bytes = n_bytes, .line = 1};
    struct field f = {0};
    size_t n = 0;
    skip_byte_order_mark(&c);
    while (!f.last) { /* a comma or the end of the line is behind each: its NUL has a place */
        f.to = (uint8_t *)names;
        if (read_field(&c, &f))
            return 0;
        names[f.len] = '\0';
        names += f.len + 1;
        n++;
    }
    return n;
}

/* Of the record from c->at on, read into f->to: whether all fields begin with a letter, and whether
 * one begins with a digit or a sign. False: it cannot be read. */
static bool look_at_record(struct csv *c, struct field *f, bool *letters, bool *numbers)
{
    *letters = true;
    *numbers = false;
    do {
        if (read_field(c, f))
            return false;
        const uint8_t first = f->len ? f->to[0] : 0, lower = first | 0x20;
        *letters = *letters && ((lower >= 'a' && lower <= 'z') || first == '_');
        *numbers = *numbers || (first >= '0' && first <= '9') || (f->len > 1 && first == '-');
    } while (!f->last);
    return true;
}

bool fb_csv_names(const uint8_t *data, size_t n_bytes)
{
    struct csv c = {.data = data, .n_bytes = n_bytes, .line = 1};
    struct field f = {.to = malloc(n_bytes + 1)};
    bool letters[2] = {false}, numbers[2] = {false};
    const bool read = f.to && n_bytes && look_at_record(&c, &f, &letters[0], &numbers[0]) &&
                      c.at < n_bytes && look_at_record(&c, &f, &letters[1], &numbers[1]);
    free(f.to);
    return read && letters[0] && numbers[1];
}
