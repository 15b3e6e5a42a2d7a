/* The card of attacks: which designs fall to an attacker who knows their hash, and whether a secret
 * seed helps. */
#include <math.h>
#include <string.h>

#include "harness/kind/attack/attack.h"

/* Attacks on designs' own hashes, or on others, whose seed is secret. */
struct side {
    json_t *designs; /* by name, true: it falls */
    size_t fallen, attacks, undecided;
    const json_t *worst; /* that lets through the most more than random keys; NULL: none does */
};

static struct side side_of(const json_t *document, bool secret)
{
    struct side s = {.designs = json_object()};
    FB_EACH(cell, json_object_get(document, "cells")) {
        const char *design = fb_json_str(cell, "design"), *verdict = fb_json_str(cell, "verdict");
        const bool falls = !strcmp(verdict, "falls");
        if (*fb_json_str(cell, "hash") ? !secret : secret)
            continue;
        s.fallen += falls && !json_is_true(json_object_get(s.designs, design));
        if (falls || !json_object_get(s.designs, design))
            json_object_set_new(s.designs, design, json_boolean(falls));
        s.attacks++;
        s.undecided += !strcmp(verdict, "undecided");
        if (falls && isfinite(fb_json_num(cell, "gain")) &&
            (!s.worst || fb_json_num(cell, "gain") > fb_json_num(s.worst, "gain")))
            s.worst = cell;
    }
    return s;
}

/* "leveldb, fuse-8", of those that fall or that do not. */
static void name_designs(const struct side *s, bool fall, char out[FB_CARD_TEXT])
{
    *out = '\0';
    FB_EACH_MEMBER(name, falls, s->designs)
        if (json_is_true(falls) == fall)
            fb_append(out, FB_CARD_TEXT, "%s%s", *out ? ", " : "", name);
}

/* In one line, with the names of the fewer where they have room. */
static void say_answer(const struct side *own, struct fb_card *card)
{
    const size_t n = json_object_size(own->designs);
    const bool few = own->fallen < n && 2 * own->fallen <= n;
    char names[FB_CARD_TEXT];
    name_designs(own, few, names);
    fb_card_set(card, FB_CARD_ANSWER,
                "%zu of %zu designs fall to an attacker who knows the hash{%s%s}.", own->fallen, n,
                !*names ? ""
                : few   ? ": "
                        : ", not ",
                names);
    if (own->worst)
        fb_card_set(card, FB_CARD_AMOUNT,
                    "Worst: %s passes %.3g %% of the keys found, %.0f times the random rate.",
                    fb_json_str(own->worst, "design"),
                    100 * fb_json_num(own->worst, "attacked.rate"),
                    fb_json_num(own->worst, "gain"));
    fb_card_set(card, FB_CARD_SURE,
                "By their 99.9 %% intervals, %zu of %zu such attacks %s undecided.", own->undecided,
                own->attacks, own->undecided == 1 ? "is" : "are");
}

static void say_secret(const struct side *secret, struct fb_card *card)
{
    const size_t n = json_object_size(secret->designs);
    if (!n)
        fb_card_set(card, FB_CARD_CHANGE, "Hashes with a secret seed were not attacked.");
    else if (secret->fallen)
        fb_card_set(card, FB_CARD_CHANGE, "With a secret seed %zu of %zu still fall.",
                    secret->fallen, n);
    else
        fb_card_set(card, FB_CARD_CHANGE,
                    "With a secret seed none of %zu falls. %zu of %zu attacks are undecided.", n,
                    secret->undecided, secret->attacks);
}

/* More filters are more keys that are asked for, which is what undecided attacks lack. */
static void say_command(const json_t *document, const char *path, bool undecided,
                        struct fb_card *card)
{
    const double filters = fmin(16 * fb_json_num(document, "experiment.filters"), 1024);
    char option[40] = " --explain";
    undecided &= path && filters > fb_json_num(document, "experiment.filters");
    if (undecided)
        snprintf(option, sizeof option, " --filters %.0f", filters);
    fb_card_next(card, path, undecided ? "run" : "show", option);
}

void fb_attack_card(const json_t *document, const char *path, struct fb_card *card)
{
    struct side own = side_of(document, false), secret = side_of(document, true);
    if (own.attacks)
        say_answer(&own, card);
    if (own.attacks || secret.attacks) {
        say_secret(&secret, card);
        say_command(document, path, own.undecided || secret.undecided, card);
    }
    json_decref(own.designs);
    json_decref(secret.designs);
}
