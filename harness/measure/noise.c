#define _GNU_SOURCE /* sched_setaffinity */
#include "harness/measure/noise.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/measure/clock.h"

void fb_noise_read(struct fb_noise *out)
{
    char line[256];
    unsigned long long steal;
    out->psi_cpu = out->steal = NAN;
    if (fb_file_line("/proc/pressure/cpu", "some ", line, sizeof line) &&
        sscanf(line, "some avg10=%lf", &out->psi_cpu) != 1)
        out->psi_cpu = NAN;
    if (fb_file_line("/proc/stat", "cpu ", line, sizeof line) &&
        sscanf(line, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &steal) == 1)
        out->steal = (double)steal;
}

json_t *fb_noise_json(const struct fb_noise *before, const struct fb_noise *after)
{
    static const char *const no_psi = "no /proc/pressure/cpu", *const no_steal = "no /proc/stat";
    double steal = after->steal - before->steal;
    json_t *j = json_object();
    fb_json_real(j, "psi_cpu_before", before->psi_cpu, no_psi);
    fb_json_real(j, "psi_cpu_after", after->psi_cpu, no_psi);
    fb_json_known(j, "steal_ticks", isfinite(steal) ? json_integer((json_int_t)steal) : NULL,
                  no_steal);
    return j;
}

json_t *fb_noise_settings(void)
{
    static const struct {
        const char *name, *path;
    } settings[] = {
        {"governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"},
        {"transparent_huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled"},
        {"aslr", "/proc/sys/kernel/randomize_va_space"},
    };
    json_t *j = json_object();
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        char line[128], why[160];
        snprintf(why, sizeof why, "no %s", settings[i].path);
        bool known = fb_file_line(settings[i].path, "", line, sizeof line);
        fb_json_known(j, settings[i].name, known ? fb_json_text(line) : NULL, why);
    }
    return j;
}

/* ---- Processors ---- */

static double share_of_time(uint64_t ns)
{
    const struct fb_clock *c = &fb_system_clock;
    uint64_t wall = c->wall_ns(c->self), cpu = c->cpu_ns(c->self), now;
    do
        now = c->wall_ns(c->self);
    while (now - wall < ns);
    return (double)(c->cpu_ns(c->self) - cpu) / (double)(now - wall);
}

static bool pin(int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return !sched_setaffinity(0, sizeof one, &one);
}

void fb_pin(int cpu)
{
    if (cpu >= 0)
        pin(cpu);
}

int fb_idlest_cpu(void)
{
    cpu_set_t usable;
    int best = -1, n;
    double most = -1;
    if (sched_getaffinity(0, sizeof usable, &usable))
        return -1;
    n = CPU_COUNT(&usable);
    uint64_t each_ns = n <= 16 ? 50000000 : UINT64_C(800000000) / (uint64_t)n;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &usable) || !pin(cpu))
            continue;
        double share = share_of_time(each_ns);
        if (share > most) {
            most = share;
            best = cpu;
        }
    }
    sched_setaffinity(0, sizeof usable, &usable);
    return best;
}

bool fb_cpu_usable(int cpu)
{
    cpu_set_t usable;
    return cpu < CPU_SETSIZE && !sched_getaffinity(0, sizeof usable, &usable) &&
           CPU_ISSET(cpu, &usable);
}

void fb_cpus_usable(char *text, size_t size)
{
    cpu_set_t usable;
    size_t used = 0;
    *text = '\0';
    if (sched_getaffinity(0, sizeof usable, &usable))
        return;
    for (int first = 0, end; first < CPU_SETSIZE && used < size; first = end + 1) {
        for (end = first; end < CPU_SETSIZE && CPU_ISSET(end, &usable);)
            end++;
        const char *comma = used ? "," : "";
        if (end - first > 1)
            used += (size_t)snprintf(text + used, size - used, "%s%d-%d", comma, first, end - 1);
        else if (end > first)
            used += (size_t)snprintf(text + used, size - used, "%s%d", comma, first);
    }
}

int fb_cpu_at(unsigned index)
{
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable))
        return -1;
    unsigned skip = index % (unsigned)CPU_COUNT(&usable);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &usable) || skip-- > 0)
        cpu++;
    return cpu;
}
