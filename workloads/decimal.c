#include "workloads/core/decimal.h"

#include <string.h>

bool fb_word_read(const char **text, const char *word)
{
    size_t len = strlen(word);
    if (strncmp(*text, word, len))
        return false;
    *text += len;
    return true;
}

bool fb_count_read(const char **text, uint64_t *value)
{
    const char *at = *text;
    uint64_t sum = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (sum > (INT64_MAX - 9) / 10)
            return false;
        sum = 10 * sum + (uint64_t)(*at - '0');
    }
    if (at == *text)
        return false;
    *value = sum;
    *text = at;
    return true;
}

bool fb_decimal_read(const char **text, double *value)
{
    enum { MAX_DIGITS = 15 };
    const char *at = *text;
    double integer = 0, scale = 1;
    int n_digits = 0;
    bool point = false;
    for (;; at++) {
        if (*at == '.' && !point) {
            point = true;
        } else if (*at >= '0' && *at <= '9') {
            if (++n_digits > MAX_DIGITS)
                return false;
            integer = 10 * integer + (*at - '0');
            if (point)
                scale *= 10;
        } else {
            break;
        }
    }
    if (!n_digits)
        return false;
    *value = integer / scale;
    *text = at;
    return true;
}
