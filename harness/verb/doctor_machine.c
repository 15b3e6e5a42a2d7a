/* What the system says about itself. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "filters/core/cpu.h"
#include "harness/base/environment.h"
#include "harness/base/json.h"
#include "harness/measure/caches.h"
#include "harness/measure/counters.h"
#include "harness/measure/noise.h"
#include "harness/verb/doctor.h"

#define CLOCK_SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* The first line of a file or of what a command prints; NULL if there is none. */
static json_t *first_line(FILE *file, int (*end)(FILE *))
{
    char line[128];
    bool read = file && fgets(line, sizeof line, file);
    if (read)
        line[strcspn(line, "\n")] = '\0';
    if (file)
        end(file);
    return read && *line ? fb_json_text(line) : NULL;
}

json_t *fb_doctor_timer(const struct fb_timer_quality *timer)
{
    json_t *j = json_object();
    bool known = timer->quantum_ns > 0;
    fb_json_known(j, "clock_source", first_line(fopen(CLOCK_SOURCE, "r"), fclose),
                  "no " CLOCK_SOURCE);
    fb_json_known(j, "overhead_ns", known ? json_real(timer->overhead_ns) : NULL,
                  "the clock did not move");
    fb_json_known(j, "quantum_ns", known ? json_real(timer->quantum_ns) : NULL,
                  "the clock did not move");
    fb_json_known(j, "single_operation_ns", known ? json_real(5 * timer->quantum_ns) : NULL,
                  "the clock did not move");
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
    return first_line(fopen("/sys/hypervisor/type", "r"), fclose);
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

static json_t *isa_list(bool (*in)(enum fb_isa))
{
    json_t *names = json_array();
    for (int isa = FB_ISA_SCALAR; isa < FB_N_ISAS; isa++)
        if (in((enum fb_isa)isa))
            json_array_append_new(names, json_string(fb_isa_name((enum fb_isa)isa)));
    return names;
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

static json_t *usable_cores(void)
{
#ifdef CPU_SET
    cpu_set_t usable;
    if (!sched_getaffinity(0, sizeof usable, &usable))
        return json_integer(CPU_COUNT(&usable));
#endif
    return NULL;
}

json_t *fb_doctor_machine(int cpu)
{
    char why_counters[160] = "";
    const char *why_hypervisor;
    json_t *about = fb_environment_machine(), *j = json_object(), *settings = fb_noise_settings();
    struct fb_caches detected;
    fb_caches_detect(&detected);
    json_object_set(j, "cpu_model", json_object_get(about, "cpu_model"));
    json_t *no_model = json_object_get(about, "cpu_model_reason");
    if (no_model)
        json_object_set(j, "cpu_model_reason", no_model);
    json_t *name = hypervisor(&why_hypervisor);
    fb_json_known(j, "hypervisor", name, why_hypervisor);
    fb_json_known(j, "usable_cores", usable_cores(), "sched_getaffinity failed");
    fb_json_known(j, "pinned_to_cpu", cpu >= 0 ? json_integer(cpu) : NULL,
                  "threads cannot be pinned here");
    json_object_update(j, settings);
    json_t *counted = counters(why_counters, sizeof why_counters);
    fb_json_known(j, "hardware_counters", counted, why_counters);
    fb_json_known(j, "valgrind", first_line(popen("valgrind --version 2>/dev/null", "r"), pclose),
                  "not installed");
    json_object_set_new(j, "instruction_sets", isa_list(fb_cpu_present));
    json_object_set_new(j, "masked_by_FB_DISABLE_ISA", isa_list(masked));
    json_object_set_new(j, "caches", caches(about));
    if (detected.assumed)
        json_object_set_new(j, "footprints_note",
                            json_string("cache sizes that are unknown are assumed"));
    json_decref(settings);
    json_decref(about);
    return j;
}
