/* The tables of the figures of kind "kernels". */
#include "tests/documents.h"

#include "harness/document/cells.h"
#include "harness/document/figure.h"
#include "harness/kind/kernels/kernels.h"

/* Documents, told as "=KIND OPERATION:" and cells "DESIGN FOOTPRINT ISA SIZE NS FPR MEMBERS;" of
 * each; without a kind, kernels batch. The size is bits per key, below 1 a rate, 0: none. The
 * interval of the time is from NS - 0.25 to NS + 0.5. The members, which may be none, stand in the
 * place of those made here. */
static json_t *documents_of(const char *told)
{
    char kind[10] = "kernels", operation[12] = "batch", design[20], footprint[8], isa[8], cell[900];
    double size, ns, fpr;
    json_t *documents = json_array(), *cells = NULL;
    for (int n = 0; *told; told += n + (int)strcspn(told + n, ";") + 1, n = 0) {
        if (sscanf(told, " =%9s %11[^:]:%n", kind, operation, &n) == 2 || !cells) {
            cells = json_array();
            json_array_append_new(documents, json_pack("{s:s, s:o}", "kind", kind, "cells", cells));
            told += n;
        }
        assert_int_equal(6, sscanf(told, "%19s %7s %7s %lf %lf %lf%n", design, footprint, isa,
                                   &size, &ns, &fpr, &n));
        const char *by = size >= 1 ? "bits_per_key" : "fpr";
        snprintf(cell, sizeof cell,
                 "{'design':'%s','footprint':'%s','isa':'%s','operation':'%s','hit_ratio':0,"
                 "'predicted_fpr':%g,'params':{'%s':%g},'filter':{'bytes':1250,'n_keys':1000,"
                 "'bits_per_key':%g},'time':{'median':%g,'ci95':{'low':%g,'high':%g}}%.*s}",
                 design, footprint, isa, operation, fpr, size > 0 ? by : "none", size,
                 size >= 1 ? size : 8, ns, ns - 0.25, ns + 0.5, (int)strcspn(told + n, ";"),
                 told + n);
        json_array_append_new(cells, quoted(cell));
    }
    return documents;
}

#define TWO   ", 'scaling': [{'threads': 2, 'per_s': 7e8}];"
#define MEANS ", 'histograms': [{'kind': 'batch64_mean', 'count': 4, 'bins': [[9, 4]]}"

static const struct {
    const char *told; /* a figure, whether there is any, digits of columns, and documents */
    const char *rows; /* what the table has in these columns, ";" behind each row */
} drawn[] = {
    /* Designs of a plugin stand behind all; 11 is as near to 10 as 9; of nori the fastest kernel of
     * the first document that has it; what nori-disk has is not shown. */
    {"throughput 1 0267b =icount batch: nori L1 no 9 1 1; =kernels batch: zeta L1 a 9 7 1;"
     "alpha L1 a 9 6 1; leveldb DRAM a 9 30 1; leveldb L1 a 11 5 1; leveldb L1 a 9 4 1;"
     "nori L1 a 9 3 1; nori L1 b 9 2 1; nori L1 c 9 2 1; nori L1 d 9 2.5 1; nori L1 far 14 1 1;"
     "exact L1 a 9 1 1; nori-disk L1 a 9 1 1, 'operation': 'each'; touch-32 L2 a 0 1.5 1;"
     "nori-disk L1 a 9 1 1, 'load': 0.5; nori-disk L1 a 9 1 1, 'hit_ratio': 0.5;"
     "nori-disk L1 a 9 0 1; nori-disk L1 a 9 1 1, 'hit_ratio': null, 'build': null;"
     "nori-disk L1 a 9 1 1, 'filter': {};"
     "=kernels batch: nori L1 second 9 0.5 1; course L1 a 9 8 1; course L1 b 9 7 1;",
     "design footprint bits_per_key ns isa;touch-32 L2 8 1.5 a;nori L1 9 2 b;leveldb L1 9 4 a;"
     "leveldb L1 11 5 a;leveldb DRAM 9 30 a;course L1 9 7 b;alpha L1 9 6 a;zeta L1 9 7 a;"},
    {"throughput 0 02 ", "design footprint ;"},
    /* A line is one of designs, at the size that is shown. */
    {"throughput 0 02 fetch L1 a 0 1 .1; fetch DRAM a 0 9 .1;nori L2 a 10 3 .1; nori L1 a 12 2 .1;"
     " nori DRAM a 12 2 .1;",
     "design footprint ;fetch L1 ;fetch DRAM ;nori L2 ;"},
    {"chain 1 0123456789ab =kernels chain: sbbf-256 L3 a .01 3 .1; sbbf-256 L2 b .01 2 .1; "
     "sbbf-256 L1 a .001 2 .1;fjall-1 L3 a .01 4 .1; nori L1 a 10 2 1, 'operation': 'batch'; "
     "fetch L1 a 0 1 1;",
     "design kind footprint place bytes n_keys bits_per_key ns low high fpr isa;"
     "fetch yardstick L1 0 1250 1000 8 1 0.75 1.5 1 a;"
     "fjall-1 design L3 2 1250 1000 8 4 3.75 4.5 0.1 a;"
     "sbbf-256 design L2 1 1250 1000 8 2 1.75 2.5 0.1 b;"
     "sbbf-256 design L3 2 1250 1000 8 3 2.75 3.5 0.1 a;"},
    /* 0.01999 is 0.02 but for rounding; of 0.01 and 0.008 in one time the first is no front; nor is
     * what any faster one beats. */
    {"cost-fpr 1 1267b nori L1 a 11 6 .012; nori L1 a 12 5 .015; nori L1 a 13 4 .01;"
     "nori L1 a 14 4 .008; nori L1 a 15 3.5 .01996; nori L1 a 16 3 .01999; nori L1 a 17 2 .02;"
     "nori DRAM a 11 2.5 .5; nori DRAM a 12 3 .6; nori L1 a 18 1 0; nori L1 a 19 1 1;"
     "touch-64 L1 a 0 1 0, 'predicted_fpr': null;",
     "kind footprint bits_per_key ns isa;design L1 11 6 a;design L1 12 5 a;design L1 13 4 a;"
     "design L1 14 4 a;design L1 15 3.5 a;design L1 16 3 a;design L1 17 2 a;design DRAM 11 2.5 a;"
     "design DRAM 12 3 a;front L1 17 2 a;front L1 15 3.5 a;front L1 14 4 a;front DRAM 11 2.5 a;"},
    {"cost-fpr 1 1 nori L1 a 18 1 .5;", "kind ;design ;front ;"},
    {"cost-fpr 0 0 nori L1 a 18 1 1;", "design ;"},
    /* 8 bits over log2(1 / rate), which is 10, 4 and 2. */
    {"pareto 1 1a nori L2 a .001 3 .0009765625; nori L2 a .1 2 .0625; nori L2 a .2 2.5 .25;"
     "nori L2 a 10 1 .25; fetch L2 a 0 1 .25; leveldb L2 a .1 1 .1, 'filter': {'n_keys': 9};",
     "kind value ;design 0.8 ;design 2 ;design 4 ;front 2 ;front 0.8 ;"},
    /* 24000 bytes for 1000 keys. What has no build, or none that says its bytes, is left out. */
    {"build-cost 1 0123456789ab =kernels build-keys:"
     "xor-8 L2 a .004 90 .1, 'hit_ratio': 1, 'build': {'attempts': 2, 'temporary_bytes': 24000};"
     "leveldb L1 a .004 1 .1, 'hit_ratio': 1, 'build': {}; course L1 a .004 1 .1, 'hit_ratio': 1;",
     "design kind footprint place fpr n_keys bits_per_key ns low high value attempts;"
     "xor-8 design L2 1 0.1 1000 8 90 89.75 90.5 24 2;"
     "xor-8 front L2 1 0.1 1000 8 90 89.75 90.5 24 2;"},
    /* As they come, the first cell of a filter. */
    {"scaling 1 0123456789ab nori L2 a 10 1 0, 'scaling': null; "
     "leveldb L1 a 10 5 0, 'threads': 9, 'scaling': [{'threads': 1, 'per_s': 5e8}, {'threads': 4, "
     "'per_s': 9e8, 'per_s_low': 8e8, 'per_s_high': 1e9, 'speedup': 1.8, 'speedup_low': 1.6, "
     "'speedup_high': 2}];nori L2 b 10 5 0" TWO "nori L2 a 10 1 0, 'scaling': [{}]; "
     "always L1 a 10 1 0" TWO,
     "design footprint threads per_s low high speedup speedup_low speedup_high;"
     "leveldb L1 1 5e+08 nan nan nan nan nan;leveldb L1 4 9e+08 8e+08 1e+09 1.8 1.6 2;"
     "nori L2 2 7e+08 nan nan nan nan nan;"},
    {"scaling 0 03 nori L2 a 10 5 0" TWO "nori L1 a 10 5 0" TWO,
     "design per_s ;nori 7e+08 ;nori 7e+08 ;"},
    /* A bin has 2 ps from 128 ps on, 16 from 1024 on; the middle stands for it. */
    {"latency 1 0123456789ab nori L1 a 10 5 0" MEANS
     ", {'kind': 'single', 'count': 10, 'bins': [[100, 1], [130, 4], [1024, 5]]}, "
     "{'kind': 'timer', 'count': 0, 'bins': [[50, 0]]}];"
     "nori L1 b 10 1 0, 'histograms': [{'kind': 'single', 'count': 1, 'bins': [[1, 1]]}];",
     "design footprint kind ns share_above;nori L1 single 0.1 0.9;nori L1 single 0.131 0.5;"
     "nori L1 single 1.032 0;nori L1 timer 0.05 0;"},
    {"latency 0 0 nori L1 a 10 5 0" MEANS "];", "design ;"},
    {"kernels-cells 1 0123456789ab =kernels build: nori L1 a 10 5 0, 'id': 'nori/L1'; "
     "nori L3 a 10 9 0, 'id': 'nori/L3';",
     "name design value low high reference unit row rows common;L1 nori 5 4.75 5.5 nan - 1 2 nori;"
     "L3 nori 9 8.75 9.5 nan - 2 2 nori;"},
};

TEST(tables)
{
    for (size_t d = 0; d < sizeof drawn / sizeof *drawn; d++) {
        const struct fb_figure *figure = fb_kernels_figures;
        char name[20], columns[13], rows[1000] = "", *text = NULL;
        int any, told;
        size_t size, column = 0, n = 0;
        FILE *file = open_memstream(&text, &size);
        sscanf(drawn[d].told, "%19s %d %12s %n", name, &any, columns, &told);
        while (strcmp(figure->name, name) != 0)
            figure++;
        json_t *documents = documents_of(drawn[d].told + told);
        assert_int_equal(figure->cells ? fb_cells_draw(figure->cells, documents, file)
                                       : figure->write(documents, file),
                         any);
        assert_int_equal(figure->rest, !strcmp(name, "kernels-cells"));
        fclose(file);
        for (const char *c = text; *c; column = *c == '\n' ? 0 : column + (*c == '\t'), c++)
            if (*c == '\n' || strchr(columns, "0123456789ab"[column]))
                rows[n++] = (char)(*c == '\n' ? ';' : *c == '\t' ? ' ' : *c);
        assert_string_equal(rows, drawn[d].rows);
        free(text);
        json_decref(documents);
    }
}

TESTS(NULL, NULL)
