/* fuse-16: the same of 16-bit fingerprints; 18 bits per key, a false positive in 65536. */
#define SLOT_BITS      16
#define FUSE_NAME      "fuse-16"
#define FUSE_DESIGN    fb_design_fuse_16
#define FUSE_FORMAT    "binary_fuse16"
#define FUSE_BITS_TEXT "18"
#include "filters/core/internal/fuse.inc"
