/* touch-64: the yardstick for designs of one 64-byte block. */
#include "filters/core/math.h"

#define TOUCH_BYTES  64
#define TOUCH_WORDS  8
#define TOUCH_TUNED  FB_TUNED_TOUCH_64
#define TOUCH_NAME   "touch-64"
#define TOUCH_DESIGN fb_design_touch_64
#include "filters/core/internal/touch.inc"
