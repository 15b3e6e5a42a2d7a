/* cmocka with the headers it needs before it, and what our tests share. */
#ifndef FILTERBENCH_TESTS_UNIT_H
#define FILTERBENCH_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#define assert_near(a, b, tolerance) assert_true(fabs((double)(a) - (double)(b)) <= (tolerance))

#endif
