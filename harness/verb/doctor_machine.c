/* What the system says about itself. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "harness/base/environment.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/parallel.h"
#include "harness/measure/caches.h"
#include "harness/measure/counters.h"
#include "harness/measure/noise.h"
#include "harness/verb/doctor.h"

#define CLOCK_SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* The first line of a file; NULL where there is none. */
static json_t *first_line(const char *path)
{
    char line[128];
    fb_file_line(path, "", line, sizeof line);
    return *line ? fb_json_text(line) : NULL;
}

static json_t *valgrind_version(void)
{
    char line[128] = "";
    FILE *file = popen("valgrind --version 2>/dev/null", "r");
    bool read = file && fgets(line, sizeof line, file);
    if (file)
        pclose(file);
    line[strcspn(line, "\n")] = '\0';
    return read && *line ? fb_json_text(line) : NULL;
}

json_t *fb_doctor_timer(const struct fb_timer_quality *timer)
{
    static const char *const stands = "the clock did not move";
    json_t *j = json_object();
    bool known = timer->quantum_ns > 0;
    fb_json_known(j, "clock_source", first_line(CLOCK_SOURCE), "no " CLOCK_SOURCE);
    fb_json_real(j, "overhead_ns", known ? timer->overhead_ns : NAN, stands);
    fb_json_real(j, "quantum_ns", known ? timer->quantum_ns : NAN, stands);
    fb_json_real(j, "single_operation_ns", known ? 5 * timer->quantum_ns : NAN, stands);
    return j;
}

#if defined(__x86_64__)
static json_t *hypervisor(const char **reason)
{
    unsigned a, b, c, d;
    char name[13] = "";
    *reason = "the processor answers no cpuid";
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return NULL;
    if (!(c >> 31 & 1))
        return json_string("none");
    __cpuid(0x40000000, a, b, c, d);
    memcpy(name, &b, 4);
    memcpy(name + 4, &c, 4);
    memcpy(name + 8, &d, 4);
    *reason = "there is one, without a name";
    return *name ? fb_json_text(name) : NULL;
}
#else
static json_t *hypervisor(const char **reason)
{
    *reason = "no /sys/hypervisor/type, and this processor does not say";
    return first_line("/sys/hypervisor/type");
}
#endif

/* Rows {cache, kernel_bytes, c_library_bytes, agree}. */
static json_t *caches(const json_t *machine)
{
    static const struct {
        const char *name;
        int setting;
    } levels[] = {{"l1d", _SC_LEVEL1_DCACHE_SIZE},
                  {"l2", _SC_LEVEL2_CACHE_SIZE},
                  {"l3", _SC_LEVEL3_CACHE_SIZE}};
    const json_t *sizes = json_object_get(machine, "caches_bytes");
    json_t *rows = json_array();
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        long library = sysconf(levels[i].setting);
        json_t *row = json_pack("{s:s}", "cache", levels[i].name);
        json_t *kernel = json_object_get(sizes, levels[i].name);
        bool both = kernel && library > 0;
        fb_json_known(row, "kernel_bytes", json_incref(kernel), "/sys names no such cache");
        fb_json_known(row, "c_library_bytes", library > 0 ? json_integer(library) : NULL,
                      "sysconf does not say");
        fb_json_known(row, "agree",
                      both ? json_boolean(json_integer_value(kernel) == library) : NULL,
                      "one of them is unknown");
        json_array_append_new(rows, row);
    }
    return rows;
}

static bool masked(enum fb_isa isa)
{
    return fb_cpu_present(isa) && !fb_cpu_has(isa);
}

static json_t *counters(char *reason, unsigned size)
{
    int fd[FB_N_COUNTERS];
    json_t *names = json_array();
    bool open = fb_counters_open(fd, reason, size);
    for (int i = 0; i < FB_N_COUNTERS; i++)
        if (fd[i] >= 0)
            json_array_append_new(names, json_string(fb_counter_names[i]));
    fb_counters_close(fd);
    if (open)
        return names;
    json_decref(names);
    return NULL;
}

json_t *fb_doctor_machine(int cpu)
{
    char why_counters[160] = "";
    const char *why_hypervisor;
    json_t *about = fb_environment_machine(), *j = json_object(), *name, *counted;
    struct fb_caches detected;
    fb_caches_detect(&detected);
    json_object_set(j, "cpu_model", json_object_get(about, "cpu_model"));
    json_object_set(j, "cpu_model_reason", json_object_get(about, "cpu_model_reason"));
    name = hypervisor(&why_hypervisor);
    fb_json_known(j, "hypervisor", name, why_hypervisor);
    json_object_set_new(j, "usable_cores", json_integer(fb_parallel_cores()));
    fb_json_known(j, "pinned_to_cpu", cpu >= 0 ? json_integer(cpu) : NULL,
                  "threads cannot be pinned here");
    json_object_update_new(j, fb_noise_settings());
    counted = counters(why_counters, sizeof why_counters);
    fb_json_known(j, "hardware_counters", counted, why_counters);
    fb_json_known(j, "valgrind", valgrind_version(), "not installed");
    json_object_set_new(j, "instruction_sets", fb_environment_isas(fb_cpu_present));
    json_object_set_new(j, "masked_by_FB_DISABLE_ISA", fb_environment_isas(masked));
    json_object_set_new(j, "caches", caches(about));
    if (detected.assumed)
        json_object_set_new(j, "footprints_note",
                            json_string("cache sizes that are unknown are assumed"));
    json_decref(about);
    return j;
}
