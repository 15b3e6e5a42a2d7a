/*
 * on_terminal COLUMNS COMMAND...: runs it with a terminal of so many columns as its standard output
 * and error, prints what it wrote there, and ends as it ended. 0 columns: the terminal does not
 * tell.
 */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static int fail(const char *what)
{
    perror(what);
    return 125;
}

int main(int argc, char **argv)
{
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    struct winsize size = {.ws_row = 24};
    struct termios raw;
    char bytes[4096];
    ssize_t n;
    int status;
    if (argc < 3)
        return 125;
    size.ws_col = (unsigned short)strtoul(argv[1], NULL, 10);
    if (terminal < 0 || grantpt(terminal) || unlockpt(terminal))
        return fail("no terminal");
    const int side = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    if (side < 0 || ioctl(side, TIOCSWINSZ, &size) || tcgetattr(side, &raw))
        return fail("no terminal");
    raw.c_oflag &= ~(tcflag_t)OPOST; /* a newline stays one byte */
    tcsetattr(side, TCSANOW, &raw);
    const pid_t child = fork();
    if (child == 0) {
        dup2(side, STDOUT_FILENO);
        dup2(side, STDERR_FILENO);
        close(side);
        close(terminal);
        execvp(argv[2], argv + 2);
        _exit(fail(argv[2]));
    }
    close(side);
    while ((n = read(terminal, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            fwrite(bytes, 1, (size_t)n, stdout);
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return fail("fork");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}
