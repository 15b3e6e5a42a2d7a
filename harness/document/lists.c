/* Lists as people write them: "8,10" and "6..20". */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/document/fields.h"

json_t *fb_list_given(const struct fb_texts *given)
{
    json_t *list = json_array();
    for (size_t i = 0; i < given->n; i++) {
        for (const char *text = given->at[i]; text;) {
            const size_t len = strcspn(text, ",");
            json_t *value = json_loadb(text, len, JSON_DECODE_ANY, NULL);
            if (!json_is_number(value)) {
                json_decref(value);
                value = json_stringn(text, len);
            }
            if (json_array_append_new(list, value)) {
                json_decref(list);
                return NULL;
            }
            text = text[len] ? text + len + 1 : NULL;
        }
    }
    return list;
}

json_t *fb_read_range(struct fb_problem *problem, const struct fb_field *f, const char *path,
                      const json_t *given)
{
    const char *text = json_string_value(given), *dots = strstr(text, "..");
    json_t *first = json_stringn(text, (size_t)(dots - text)), *list = json_array();
    double low, high;
    bool good = fb_quantity_read(json_string_value(first), f->unit, &low) &&
                fb_quantity_read(dots + 2, f->unit, &high) && low == floor(low) && low <= high &&
                high - low < 1000;
    json_decref(first);
    if (!good)
        fb_refuse(problem,
                  "%s: '%.60s' is no range; give two whole numbers less than 1000 apart, the "
                  "lower one first: 6..20",
                  path, text);
    for (; good && low <= high; low++) {
        json_t *number = json_real(low);
        good = !json_array_append_new(list, f->read(problem, f, path, number));
        json_decref(number);
    }
    if (good)
        return list;
    json_decref(list);
    return NULL;
}
