/* xor-16: the same of 16-bit fingerprints; 19.68 bits per key, a false positive in 65536. */
#define SLOT_BITS     16
#define XOR_NAME      "xor-16"
#define XOR_DESIGN    fb_design_xor_16
#define XOR_BITS_TEXT "19.68"
#include "filters/core/internal/xor.inc"
