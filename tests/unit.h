/* cmocka with the headers it needs before it, and what our tests share. */
#ifndef FILTERBENCH_TESTS_UNIT_H
#define FILTERBENCH_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * A variable that is given back where its block ends, as json_auto_t is: by free(), or by what
 * takes its address. Whoever may leave before it is filled sets it to {0}.
 */
#define closed_by(function) __attribute__((cleanup(function)))
#define auto_free           closed_by(free_at)

static inline void free_at(void *variable)
{
    void *at;
    memcpy(&at, variable, sizeof at);
    free(at);
}

#define assert_near(a, b, tolerance) assert_true(fabs((double)(a) - (double)(b)) <= (tolerance))

/*
 * TEST(adds_up) { ... } is a test. All tests of a file are run, in their order there: no table
 * names them once more. The last line is TESTS(setup, teardown): what is done once before all of
 * them and once after, or NULL; TESTS_EACH: before and after each. A main() of its own calls
 * run_unit_tests() instead.
 */
struct unit_tests {
    struct CMUnitTest at[64];
    size_t n;
};

static inline struct unit_tests *unit_tests(void)
{
    static struct unit_tests tests;
    return &tests;
}

static inline void add_test(const char *name, CMUnitTestFunction run)
{
    struct unit_tests *tests = unit_tests();
    if (tests->n == sizeof tests->at / sizeof *tests->at)
        abort();
    tests->at[tests->n++] = (struct CMUnitTest){.name = name, .test_func = run};
}

static inline int run_unit_tests(CMFixtureFunction setup, CMFixtureFunction teardown)
{
    const struct unit_tests *tests = unit_tests();
    return tests->n ? _cmocka_run_group_tests("tests", tests->at, tests->n, setup, teardown) : -1;
}

static inline int run_each_unit_test(CMFixtureFunction setup, CMFixtureFunction teardown)
{
    struct unit_tests *tests = unit_tests();
    for (size_t i = 0; i < tests->n; i++) {
        tests->at[i].setup_func = setup;
        tests->at[i].teardown_func = teardown;
    }
    return run_unit_tests(NULL, NULL);
}

#define TEST(name)                                                                                 \
    static void test_##name(void **);                                                              \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        add_test(#name, test_##name);                                                              \
    }                                                                                              \
    static void test_##name(void **state __attribute__((unused)))

#define TESTS(setup, teardown)                                                                     \
    int main(void)                                                                                 \
    {                                                                                              \
        return run_unit_tests(setup, teardown);                                                    \
    }

#define TESTS_EACH(setup, teardown)                                                                \
    int main(void)                                                                                 \
    {                                                                                              \
        return run_each_unit_test(setup, teardown);                                                \
    }

#endif
