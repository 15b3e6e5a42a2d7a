/* What the system says about itself. */
#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* Whether a hypervisor runs this machine, where the processor says so. */
static json_t *hypervisor(void)
{
    char flags[8192];
    return fb_file_line("/proc/cpuinfo", "flags", flags, sizeof flags)
               ? json_boolean(strstr(flags, " hypervisor") != NULL)
               : NULL;
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
    json_t *about = fb_environment_machine(), *j = json_object(), *counted;
    struct fb_caches detected;
    fb_caches_detect(&detected);
    json_object_set(j, "cpu_model", json_object_get(about, "cpu_model"));
    json_object_set(j, "cpu_model_reason", json_object_get(about, "cpu_model_reason"));
    fb_json_known(j, "hypervisor", hypervisor(), "/proc/cpuinfo has no flags");
    json_object_set_new(j, "usable_cores", json_integer(fb_parallel_cores()));
    fb_json_known(j, "pinned_to_cpu", cpu >= 0 ? json_integer(cpu) : NULL,
                  "threads cannot be pinned here");
    json_object_update_new(j, fb_noise_settings());
    counted = counters(why_counters, sizeof why_counters);
    fb_json_known(j, "hardware_counters", counted, why_counters);
    json_object_set_new(j, "instruction_sets", fb_environment_isas(fb_cpu_present));
    json_object_set_new(j, "masked_by_FB_DISABLE_ISA", fb_environment_isas(masked));
    json_object_set(j, "caches_bytes", json_object_get(about, "caches_bytes"));
    json_object_set(j, "caches_bytes_reason", json_object_get(about, "caches_bytes_reason"));
    if (detected.assumed)
        json_object_set_new(j, "footprints_note",
                            json_string("cache sizes that are unknown are assumed"));
    json_decref(about);
    return j;
}
