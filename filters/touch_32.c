/* touch-32: the yardstick for designs of one 32-byte block. */
#include "filters/core/math.h"

#define TOUCH_BYTES  32
#define TOUCH_WORDS  4
#define TOUCH_TUNED  FB_TUNED_TOUCH_32
#define TOUCH_NAME   "touch-32"
#define TOUCH_DESIGN fb_design_touch_32
#include "filters/core/internal/touch.inc"
