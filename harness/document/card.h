/*
 * The card: what a result says, in at most five lines of 80 columns that a reader can repeat to a
 * colleague. It stands before the tables.
 *
 *     At 10 bits per key and 100k keys, bloom-independent has the lowest FPR: 0.818 %.
 *     nori has 1.01 times that rate (0.99 to 1.03), leveldb 1.77 (1.74 to 1.80).
 *     Cannot tell it from nori: the 95 % interval contains 1.
 *     This is one case. Other sizes or other keys may give another order.
 *     Next: filterbench show r.json --versus bloom-independent
 *
 * A kind either writes its own card, or says what its cells measure (versus.h), of which one is
 * made.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_CARD_H
#define FILTERBENCH_HARNESS_DOCUMENT_CARD_H

#include <jansson.h>
#include <stdio.h>

enum { FB_CARD_LINES = 5, FB_CARD_COLUMNS = 80, FB_CARD_TEXT = 320 };

/* What a card answers, in its order. Where it takes more lines, CHANGE goes first, then SURE, then
 * AMOUNT. */
enum fb_card_part {
    FB_CARD_ANSWER, /* the answer */
    FB_CARD_AMOUNT, /* by how much */
    FB_CARD_SURE,   /* how sure that is */
    FB_CARD_CHANGE, /* what would change it */
    FB_CARD_NEXT,   /* the command to type next, without "Next: " */
    FB_CARD_PARTS
};

/* "": nothing is said of that. Zeroed at first. */
struct fb_card {
    char part[FB_CARD_PARTS][FB_CARD_TEXT];
    const char *verdict; /* a word of the text, which has its colour (screen.h); NULL: none */
};

/* Sets a part: one or two sentences of at most 20 words each, or a command. Cut where it is longer
 * than FB_CARD_TEXT - 1 bytes. In a sentence "{...}" is left out, the last first, until the rest
 * fits a line. */
void fb_card_set(struct fb_card *, enum fb_card_part, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The next command: a verb of the result in `path`, a word of a shell, with options (" --explain",
 * or
 * ""); NULL: the result is in no file, and the card says how to keep it. */
void fb_card_next(struct fb_card *, const char *path, const char *verb, const char *options);

/* A path as a shell takes it for one word that is no option; returns `out`. */
const char *fb_card_quoted(const char *path, char out[FB_CARD_TEXT]);

/* The lines, as texts in an array, to be released. A command is never wrapped. */
json_t *fb_card_lines(const struct fb_card *);

/* "1 cell", "2 cells"; returns `out`. */
const char *fb_card_count(size_t n, const char *unit, char out[64]);

/* Prints lines and an empty one; nothing where there are none. The first `verdict` in them has its
 * colour; NULL: there is none. */
void fb_card_print(FILE *, const json_t *lines, const char *verdict);

#endif
