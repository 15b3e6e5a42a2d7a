/* fetch: the yardstick for designs that read words of a line, not all of it. */
#include "filters/core/math.h"

#define TOUCH_BYTES  64
#define TOUCH_WORDS  1
#define TOUCH_TUNED  FB_TUNED_FETCH
#define TOUCH_NAME   "fetch"
#define TOUCH_DESIGN fb_design_fetch
#include "filters/core/internal/touch.inc"
