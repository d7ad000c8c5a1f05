/* Measures what a host pays to start: dlopen to the first decision from numbers, and the memory that is resident afterwards.
 *   gputide_bench_load libgputide.so.1
 * Baseline: dlopen of the libraries that it needs, in a process of its own; the rest is gputide's.  Each figure is the median of
 * fresh processes. */
#define _POSIX_C_SOURCE 200809L
#include "gputide/gputide_table.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { runs = 15 };

typedef const gputide_api_table* (*api_function)(uint32_t, gputide_error*);

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double resident_kib(void) {
    FILE* file = fopen("/proc/self/statm", "r");
    long total = 0;
    long resident = 0;
    if (file == NULL || fscanf(file, "%ld %ld", &total, &resident) != 2) exit(1);
    fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1024.0;
}

static void decide_once(void* library) {
    static const char text[] =
        "{\"apiVersion\":\"keda.sh/v1alpha1\",\"kind\":\"ScaledObject\",\"metadata\":{\"name\":\"demo\"},"
        "\"spec\":{\"scaleTargetRef\":{\"name\":\"demo\"},\"minReplicaCount\":1,"
        "\"triggers\":[{\"type\":\"values\",\"metadata\":{\"threshold\":\"5\"}}]}}";
    void* symbol = dlsym(library, "gputide_api");
    api_function get_api = NULL;
    memcpy(&get_api, &symbol, sizeof get_api);
    const gputide_api_table* api = get_api != NULL ? get_api(GPUTIDE_ABI_VERSION, NULL) : NULL;
    gputide_policy* policy = NULL;
    gputide_state* state = NULL;
    gputide_sample sample = {.struct_size = sizeof sample, .state = GPUTIDE_SAMPLE_OK, .value = 42.5};
    gputide_observation seen = {.struct_size = sizeof seen, .now_ms = 1795255200000, .current_replicas = 3};
    gputide_decision next = {.struct_size = sizeof next};
    seen.samples = &sample;
    seen.sample_count = 1;
    seen.sample_size = sizeof sample;
    if (api == NULL || api->policy_open(text, GPUTIDE_TEXT, NULL, &policy, NULL) != GPUTIDE_OK ||
        api->state_new(policy, 0, &state, NULL) != GPUTIDE_OK ||
        api->decide(policy, state, &seen, &next, NULL, NULL) != GPUTIDE_OK || next.proposed_replicas != 9) {
        exit(1);
    }
}

struct cost {
    double ms;
    double kib;
};

static struct cost load(const char* path) {
    struct cost out;
    const double before_kib = resident_kib();
    const double start = now_ms();
    if (path != NULL) {
        void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) exit(1);
        decide_once(library);
    } else {
        static const char* const below[] = {"libcurl.so.4", "libssl.so.3", "libyaml-0.so.2", "libcctz.so.2",
                                            "libstdc++.so.6"};
        for (size_t i = 0; i < sizeof below / sizeof *below; ++i) {
            if (dlopen(below[i], RTLD_NOW | RTLD_LOCAL) == NULL) exit(1);
        }
    }
    out.ms = now_ms() - start;
    out.kib = resident_kib() - before_kib;
    return out;
}

static int by_value(const void* a, const void* b) {
    const double left = *(const double*)a;
    const double right = *(const double*)b;
    return left < right ? -1 : left > right;
}

static struct cost median(const char* path) {
    double ms[runs];
    double kib[runs];
    for (int i = 0; i < runs; ++i) {
        int ends[2];
        struct cost got = {0, 0};
        if (pipe(ends) != 0) exit(1);
        const pid_t child = fork();
        if (child == 0) {
            got = load(path);
            _exit(write(ends[1], &got, sizeof got) == (ssize_t)sizeof got ? 0 : 1);
        }
        int status = 0;
        if (read(ends[0], &got, sizeof got) != (ssize_t)sizeof got || waitpid(child, &status, 0) != child ||
            status != 0) {
            exit(1);
        }
        close(ends[0]);
        close(ends[1]);
        ms[i] = got.ms;
        kib[i] = got.kib;
    }
    qsort(ms, runs, sizeof *ms, by_value);
    qsort(kib, runs, sizeof *kib, by_value);
    return (struct cost){ms[runs / 2], kib[runs / 2]};
}

static void print(const char* name, const char* unit, double ours, double baseline, const char* note, const char* end) {
    printf(
        "{\"name\":\"%s\",\"value\":%.3f,\"unit\":\"%s\",\"baseline\":\"dlopen of the libraries that it needs\","
        "\"baseline_value\":%.3f,\"ratio\":%.3f,\"note\":\"%s\"}%s\n",
        name, ours, unit, baseline, baseline / ours, note, end);
}

int main(int argc, char** argv) {
    if (argc != 2) return fprintf(stderr, "usage: gputide_bench_load LIBRARY\n"), 2;
    const struct cost below = median(NULL);
    const struct cost ours = median(argv[1]);
    printf("[");
    print("dlopen_to_decision", "ms", ours.ms, below.ms, "goal: under 5 ms", ",");
    print("load_rss", "KiB", ours.kib, below.kib, "resident memory that loading and one decision add", "]");
    return 0;
}
