/* Where the project's data files are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/cli.h"

/* PREFIX/share/filterbench for PREFIX/bin/filterbench; false where there is no such folder. */
static bool installed_folder(char *out, size_t size)
{
    static const char share[] = "/share/filterbench";
    struct stat about;
    ssize_t n = readlink("/proc/self/exe", out, size - 1);
    if (n <= 0)
        return false;
    out[n] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(out, '/');
        if (!slash)
            return false;
        *slash = '\0';
    }
    size_t len = strlen(out);
    if (len + sizeof share > size)
        return false;
    memcpy(out + len, share, sizeof share);
    return !stat(out, &about) && S_ISDIR(about.st_mode);
}

void fb_data_path(const char *relative, char *out, size_t size)
{
    char folder[4096];
    const char *root = getenv("FILTERBENCH_DATA");
    if (!root || !*root)
        root = installed_folder(folder, sizeof folder) ? folder : FB_SOURCE_DIR;
    int n = snprintf(out, size, "%s/%s", root, relative);
    if (n < 0 || (size_t)n >= size)
        *out = '\0';
}
