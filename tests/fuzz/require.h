/* What must hold of any bytes. */
#ifndef FILTERBENCH_TESTS_FUZZ_REQUIRE_H
#define FILTERBENCH_TESTS_FUZZ_REQUIRE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* of: a design, a format: what the bytes are read as. */
#define REQUIRE(of, condition)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s: %s\n", of, #condition);                                           \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
