/* A host that knows the library by dlopen alone and closes it while a runtime's thread runs: code and thread must stay.
 *   gputide_capi_plugin PATH/libgputide.so.1 */
#include "gputide/gputide_table.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef const gputide_api_table* (*api_entry)(uint32_t, gputide_error*);

static int fail(const char* what) {
    fprintf(stderr, "plugin: %s\n", what);
    return 1;
}

int main(int count, char** arguments) {
    void* library;
    void* symbol;
    api_entry entry;
    const gputide_api_table* api;
    gputide_runtime* runtime = NULL;
    const struct timespec moment = {0, 50000000};

    if (count != 2) return fail("one argument: the library");
    library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return fail(dlerror());
    symbol = dlsym(library, "gputide_api");
    if (symbol == NULL) return fail("no gputide_api");
    memcpy(&entry, &symbol, sizeof entry);
    api = entry(GPUTIDE_ABI_VERSION, NULL);
    if (api == NULL) return fail("no table");
    if (api->runtime_new(NULL, &runtime, NULL) != GPUTIDE_OK) return fail("runtime_new");
    if (api->runtime_start(runtime, NULL) != GPUTIDE_OK) return fail("runtime_start");
    if (dlclose(library) != 0) return fail("dlclose");
    nanosleep(&moment, NULL);
    if (dlopen(arguments[1], RTLD_NOW | RTLD_NOLOAD) == NULL) return fail("the library was unmapped");
    if (api->runtime_close(runtime, 10000, NULL) != GPUTIDE_OK) return fail("runtime_close");
    api->runtime_free(runtime);
    return 0;
}
