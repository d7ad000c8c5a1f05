#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_DEFAULT, RTLD_DEEPBIND, dladdr1, dlinfo, open_memstream */
#endif
#include "library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if !defined(__linux__) || !defined(__LP64__)
#error "gputide runs on 64-bit Linux alone"
#endif

#define TEXT_OF(number) #number
#define TEXT(macro) TEXT_OF(macro)
#define SONAME "libgputide-full.so." TEXT(GPUTIDE_ABI_VERSION)
#define OLDEST (GPUTIDE_VERSION_MAJOR * 1000000 + GPUTIDE_VERSION_MINOR * 1000) /* the header's release, any patch */

const gputide_api_table* gputide_table;
const gputide_plan_api_table* gputide_plan_table;
const gputide_kubernetes_api_table* gputide_kubernetes_table;

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static char file_in_use[PATH_MAX];

/* Functions that a loader needs before there is a table. */
typedef struct entry_points {
    int32_t (*abi_version)(void);
    const char* (*version)(void);
    const gputide_api_table* (*api)(uint32_t, gputide_error*);
    const gputide_plan_api_table* (*plan_api)(uint32_t, gputide_error*);
    const gputide_kubernetes_api_table* (*kubernetes_api)(uint32_t, gputide_error*);
} entry_points;

typedef enum verdict { USABLE, ABSENT, UNUSABLE } verdict;

/* The file that a function or variable comes from; "" where the system cannot say. */
static const char* file_of(const void* address) {
    Dl_info place;
    return dladdr(address, &place) != 0 && place.dli_fname != NULL ? place.dli_fname : "";
}

/* Returns a release as major * 1000000 + minor * 1000 + patch; 0 for a text that is not a release. */
static int32_t release_number(const char* version) {
    int major = 0, minor = 0, patch = 0;
    return sscanf(version, "%d.%d.%d", &major, &minor, &patch) == 3 ? major * 1000000 + minor * 1000 + patch : 0;
}

/* Takes the tables if each is as long as this package's; stores nothing otherwise. */
static int take_tables(entry_points entry) {
    if (entry.api == NULL || entry.plan_api == NULL || entry.kubernetes_api == NULL) return 0;
    const gputide_api_table* table = entry.api(GPUTIDE_ABI_VERSION, NULL);
    const gputide_plan_api_table* plan = entry.plan_api(GPUTIDE_ABI_VERSION, NULL);
    const gputide_kubernetes_api_table* kubernetes = entry.kubernetes_api(GPUTIDE_ABI_VERSION, NULL);
    if (table == NULL || table->struct_size < sizeof *table || plan == NULL || plan->struct_size < sizeof *plan ||
        kubernetes == NULL || kubernetes->struct_size < sizeof *kubernetes) {
        return 0;
    }
    snprintf(file_in_use, sizeof file_in_use, "%s", file_of(table));
    gputide_plan_table = plan;
    gputide_kubernetes_table = kubernetes;
    __atomic_store_n(&gputide_table, table, __ATOMIC_RELEASE); /* a thread that sees it sees the rest, too */
    return 1;
}

/* Takes the tables of a library that was written for this ABI and is not older than the headers; else says why not. */
static verdict check(entry_points entry, FILE* why) {
    if (entry.abi_version == NULL || entry.version == NULL) {
        fputs("not a libgputide: it has no gputide_abi_version", why);
        return UNUSABLE;
    }
    const int32_t abi = entry.abi_version();
    if (abi != GPUTIDE_ABI_VERSION) {
        fprintf(why, "ABI %d: %s release; install the gputide package that belongs to it", abi,
                abi > GPUTIDE_ABI_VERSION ? "a newer" : "an older");
        return UNUSABLE;
    }
    fprintf(why, "release %s", entry.version());
    if (release_number(entry.version()) < OLDEST) {
        fputs(": too old; install a newer libgputide, or the gputide package that belongs to it", why);
        return UNUSABLE;
    }
    if (!take_tables(entry)) {
        fputs(" is incomplete: it lacks functions of this package; install libgputide-full", why);
        return UNUSABLE;
    }
    return USABLE;
}

#ifdef GPUTIDE_LINKED /* the program was linked with -lgputide-full: there is one place */

static char* find(const char* path, const char* bundled) {
    (void)path, (void)bundled;
    char* message = NULL;
    size_t size = 0;
    FILE* why = open_memstream(&message, &size);
    if (why == NULL) return strdup("gputide: no memory");
    fprintf(why, "gputide: the linked %s: ", SONAME);
    const verdict found = check(
        (entry_points){gputide_abi_version, gputide_version, gputide_api, gputide_plan_api, gputide_kubernetes_api},
        why);
    fclose(why);
    if (found != USABLE) return message;
    free(message);
    return NULL;
}

#else

#ifdef RTLD_DEEPBIND /* glibc's; musl has none */

static int is_libc(const char* file) {
    const char* slash = strrchr(file, '/');
    return strncmp(slash == NULL ? file : slash + 1, "libc.", 5) == 0;
}

/* Whether that loaded file defines malloc itself, not by what it depends on. */
static int defines_malloc(const char* file) {
    void* library = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL) return 0;
    const int its_own = strcmp(file_of(dlsym(library, "malloc")), file) == 0;
    dlclose(library);
    return its_own;
}

/* Whether the process' malloc is the C library's own. */
static int malloc_is_libcs(void) {
    Dl_info place;
    void* entry = NULL;
    void* used = dlsym(RTLD_DEFAULT, "malloc");
    if (used == NULL || dladdr1(used, &place, &entry, RTLD_DL_SYMENT) == 0) return 0;
    const ElfW(Sym)* symbol = entry;
    if (symbol != NULL && symbol->st_shndx != SHN_UNDEF) return is_libc(place.dli_fname);
    /* A program that is not a PIE, as Node is, has an address of its own for what it takes from elsewhere: from the first file
     * behind it, in the loader's order, that defines it. */
    void* program = dlopen(NULL, RTLD_LAZY);
    struct link_map* map = NULL;
    if (program == NULL) return 0;
    if (dlinfo(program, RTLD_DI_LINKMAP, &map) == 0) map = map->l_next;
    while (map != NULL && !defines_malloc(map->l_name)) map = map->l_next;
    dlclose(program);
    return map != NULL && is_libc(map->l_name);
}

/* RTLD_DEEPBIND where the process has an OpenSSL of its own in the global scope, as Node has: the library's libcurl would
 * bind to that one.  Not where malloc is replaced or AddressSanitizer runs, which deep binding would part in two. */
static int deep_binding(void) {
    if (dlsym(RTLD_DEFAULT, "SSL_CTX_new") == NULL || dlsym(RTLD_DEFAULT, "__asan_init") != NULL) return 0;
    return malloc_is_libcs() ? RTLD_DEEPBIND : 0;
}

#else

static int deep_binding(void) { return 0; }

#endif

/* A path as dlopen takes it for a file: a name without a slash would be searched for. */
static const char* absolute(const char* path, char buffer[PATH_MAX]) {
    char folder[PATH_MAX];
    if (path[0] == '/' || getcwd(folder, sizeof folder) == NULL) return path;
    const int size = snprintf(buffer, PATH_MAX, "%s/%s", folder, path);
    return size < PATH_MAX ? buffer : path;
}

/* One place; label: how the message calls it.  Its line of the message is behind `tried` where it was of no use. */
static verdict try_place(const char* label, const char* file, FILE* tried) {
    char* reason = NULL;
    size_t size = 0;
    FILE* why = open_memstream(&reason, &size);
    if (why == NULL) return UNUSABLE;
    verdict found = UNUSABLE;
    if (file[0] == '/' && access(file, F_OK) != 0) {
        fputs("there is no such file", why);
        found = ABSENT;
    } else {
        void* handle = dlopen(file, RTLD_NOW | RTLD_LOCAL | deep_binding());
        if (handle == NULL) {
            fputs(dlerror(), why);
        } else {
            entry_points entry; /* POSIX has a void* stand for a function */
            *(void**)&entry.abi_version = dlsym(handle, "gputide_abi_version");
            *(void**)&entry.version = dlsym(handle, "gputide_version");
            *(void**)&entry.api = dlsym(handle, "gputide_api");
            *(void**)&entry.plan_api = dlsym(handle, "gputide_plan_api");
            *(void**)&entry.kubernetes_api = dlsym(handle, "gputide_kubernetes_api");
            found = check(entry, why);
        }
    }
    fclose(why);
    if (found != USABLE) fprintf(tried, "  %s   %s\n", label, reason);
    free(reason);
    return found;
}

static verdict try_places(const char* path, const char* bundled, FILE* tried) {
    char buffer[PATH_MAX];
    if (path != NULL) return try_place(path, absolute(path, buffer), tried);
    const char* named = getenv("GPUTIDE_LIBRARY");
    if (named != NULL && named[0] != '\0') {
        char label[PATH_MAX + 32];
        snprintf(label, sizeof label, "GPUTIDE_LIBRARY=%s", named);
        return try_place(label, absolute(named, buffer), tried);
    }
    if (bundled != NULL) {
        const verdict found = try_place(bundled, bundled, tried);
        if (found != ABSENT) return found;
    }
    return try_place(SONAME " (the system's search)", SONAME, tried);
}

static char* find(const char* path, const char* bundled) {
    char* message = NULL;
    size_t size = 0;
    FILE* tried = open_memstream(&message, &size);
    if (tried == NULL) return strdup("gputide: no memory");
    fprintf(tried, "gputide: no usable %s for ABI %d, release %d.%d.0 or newer. Tried:\n", SONAME, GPUTIDE_ABI_VERSION,
            GPUTIDE_VERSION_MAJOR, GPUTIDE_VERSION_MINOR);
    const verdict found = try_places(path, bundled, tried);
    fprintf(tried, "Install Debian's libgputide-full%d, or set GPUTIDE_LIBRARY to the library's full path.",
            GPUTIDE_ABI_VERSION);
    fclose(tried);
    if (found != USABLE) return message;
    free(message);
    return NULL;
}

#endif

static int same_file(const char* path, const char* other) {
    struct stat its, others;
    return stat(path, &its) == 0 && stat(other, &others) == 0 && its.st_dev == others.st_dev &&
           its.st_ino == others.st_ino;
}

char* gputide_library_open(const char* path, const char* bundled) {
    pthread_mutex_lock(&turn);
    char* message = gputide_table == NULL ? find(path, bundled) : NULL;
    if (message == NULL && path != NULL && !same_file(path, file_in_use) &&
        asprintf(&message, "gputide: %s is open already, %s cannot take its place", file_in_use, path) < 0) {
        message = strdup("gputide: no memory");
    }
    pthread_mutex_unlock(&turn);
    return message;
}

const char* gputide_library_path(void) { return file_in_use; }
