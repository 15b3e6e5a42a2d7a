#include "harness/verb/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/measure/clock.h"
#include "harness/measure/noise.h"

bool fb_trial_has_neighbour(void)
{
    return fb_parallel_cores() > 1;
}

/* Busy until its parent ends it, or ends. */
static pid_t start_neighbour(void)
{
    const pid_t parent = getpid(), pid = fork();
    if (pid != 0)
        return pid;
    fb_pin(fb_cpu_at((unsigned)fb_parallel_cores() - 1));
    while (getppid() == parent)
        for (volatile unsigned i = 0; i < 1u << 20; i++)
            continue;
    _exit(0);
}

static void stop(pid_t pid)
{
    if (pid <= 0)
        return;
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

static void begin(char *const *argv, const char *errors)
{
    const int nowhere = open("/dev/null", O_RDWR),
              to = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(to, STDERR_FILENO);
    execv("/proc/self/exe", argv);
    _exit(127);
}

bool fb_trial_run(char *const *argv, const char *errors, bool neighbour, struct fb_trial *out)
{
    const double before = fb_seconds();
    const pid_t busy = neighbour ? start_neighbour() : 0, pid = fork();
    int status = 0;
    if (pid == 0)
        begin(argv, errors);
    if (pid < 0 || busy < 0)
        fb_error("%s: no process: %s", argv[1], strerror(errno));
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        if (fb_interrupted())
            kill(pid, SIGINT);
    stop(busy);
    out->seconds = fb_seconds() - before;
    out->exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return pid > 0 && busy >= 0;
}
