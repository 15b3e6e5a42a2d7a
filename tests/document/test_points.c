/* Points of figures: their order, and the table they are written as. */
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

#include "harness/document/points.h"

TEST(sorted_and_written)
{
    static const char *const order[] = {"at.x", "name", NULL};
    static const struct fb_point_column columns[] = {
        {"name", "name", NULL}, {"x", "at.x", "%.1f"}, {"y", "y", NULL}, {0}};
    auto_free char *text = NULL;
    size_t size;
    json_auto_t *points = json_pack("[{s:s}, {s:s, s:{s:f}}, {s:s, s:{s:i}, s:f}, {s:s, s:{s:f}}]",
                                    "name", "none", "name", "b", "at", "x", 2.0, "name", "a", "at",
                                    "x", 2, "y", 0.125, "name", "c", "at", "x", -1.0);
    FILE *file = open_memstream(&text, &size);
    fb_points_sort(points, order);
    fb_points_write(file, points, columns);
    fclose(file);
    assert_string_equal(text, "name\tx\ty\n"
                              "c\t-1.0\tnan\n"
                              "a\t2.0\t0.125\n"
                              "b\t2.0\tnan\n"
                              "none\tnan\tnan\n");
}

TEST(places)
{
    assert_true(fb_place_of("no design") > fb_place_of("nori"));
    assert_true(fb_is_control("exact"));
    assert_false(fb_is_control("nori") || fb_is_control("no design"));
}

TESTS(NULL, NULL)
