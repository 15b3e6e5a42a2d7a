/*
 * Texts of strangers - documents, file names, keys, databases - made fit to print, and to name a
 * file with.
 */
#ifndef FILTERBENCH_HARNESS_BASE_PRINTABLE_H
#define FILTERBENCH_HARNESS_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes before the first that no text may have: what a terminal obeys (C0, DEL, C1; a newline and a
 * tab too), what changes the direction or the lines of a text (Unicode's bidirectional controls,
 * U+2028, U+2029), and what is no UTF-8. The length of the text where there is none. */
size_t fb_printable_length(const char *text);

/* Puts '?' in the place of each of them; `lines`: but for newlines. What "%.40s" has left of a
 * character in the middle goes. Returns the text. */
char *fb_make_printable(char *text, bool lines);

/* A file name of any text, in `out`: at most FB_FILE_WORD - 1 bytes, of letters, digits and
 * "+,-.=_%" alone, `other` for all others, and no dot in front; "_" for "". Returns `out`. */
enum { FB_FILE_WORD = 192 };
char *fb_file_word(const char *text, char other, char out[FB_FILE_WORD]);

#endif
