/* For process.dlopen() of Node, which exports OpenSSL, nghttp2 and simdjson: the checks run while this is loaded, so no header of
 * Node's is needed.  HOST_ARGUMENTS: as in checks.h, without the program, between spaces. */
#include "checks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void run(void) __attribute__((constructor));

static void run(void) {
    const char* words[8] = {"node"};
    char* text = getenv("HOST_ARGUMENTS");
    int count = 1;
    for (char* word = text != NULL ? strtok(text, " ") : NULL; word != NULL && count < 8; word = strtok(NULL, " ")) {
        words[count++] = word;
    }
    _exit(check_library(count, words));
}
