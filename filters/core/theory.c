#include "filters/core/theory.h"
