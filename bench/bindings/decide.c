/* The bare C call that each binding's figure stands beside: gputide_decide_values with all memory reused, on the library at the path
 * given.  Prints the nanoseconds of one call, the best of 200 rounds. */
#include "gputide/gputide_table.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 200
#define CALLS 1000

static const char manifest[] =
    "{\"apiVersion\":\"keda.sh/v1alpha1\",\"kind\":\"ScaledObject\",\"metadata\":{\"name\":\"demo\"},"
    "\"spec\":{\"scaleTargetRef\":{\"name\":\"demo\"},\"minReplicaCount\":1,\"maxReplicaCount\":20,"
    "\"triggers\":[{\"type\":\"values\",\"metadata\":{\"threshold\":\"5\",\"activationThreshold\":\"2\"}}]}}";

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void demand(gputide_status status) {
    if (status != GPUTIDE_OK) exit(1);
}

typedef const gputide_api_table* (*api_function)(uint32_t, gputide_error*);

int main(int count, char** arguments) {
    void* const library = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    api_function api = NULL;
    if (library != NULL) *(void**)&api = dlsym(library, "gputide_api");
    if (api == NULL) {
        fprintf(stderr, "usage: decide PATH-OF-LIBGPUTIDE\n");
        return 2;
    }
    const gputide_api_table* const gputide = api(GPUTIDE_ABI_VERSION, NULL);
    gputide_policy* policy = NULL;
    gputide_state* state = NULL;
    gputide_decision decision = {.struct_size = sizeof decision};
    gputide_error err = {.struct_size = sizeof err};
    demand(gputide->policy_open(manifest, GPUTIDE_TEXT, NULL, &policy, &err));
    demand(gputide->state_new(policy, 0, &state, &err));
    int64_t now_ms = 1795255200000;
    double best = 1e9;
    for (int round = 0; round < ROUNDS; ++round) {
        const double start = seconds();
        for (int i = 0; i < CALLS; ++i, now_ms += 15000) {
            const double value = 10 + i % 7;
            demand(gputide->decide_values(policy, state, now_ms, 3, &value, 1, &decision, &err));
        }
        const double taken = (seconds() - start) / CALLS;
        if (taken < best) best = taken;
    }
    printf("%.0f\n", best * 1e9);
    gputide->state_free(state);
    gputide->policy_free(policy);
    return 0;
}
