/* xor-8: a xor filter of 8-bit fingerprints; 9.84 bits per key, a false positive in 256. */
#define SLOT_BITS     8
#define XOR_NAME      "xor-8"
#define XOR_DESIGN    fb_design_xor_8
#define XOR_BITS_TEXT "9.84"
#include "filters/core/internal/xor.inc"
