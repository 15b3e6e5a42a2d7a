/* fuse-8: a binary fuse filter of 8-bit fingerprints; 9 bits per key, a false positive in 256. */
#define SLOT_BITS      8
#define FUSE_NAME      "fuse-8"
#define FUSE_DESIGN    fb_design_fuse_8
#define FUSE_FORMAT    "binary_fuse8"
#define FUSE_BITS_TEXT "9"
#include "filters/core/internal/fuse.inc"
