/* A host that knows the library only at run time: dlopen, one symbol, the table.
 *   plugin libgputide.so.1 */
#include "gputide/gputide_table.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef const gputide_api_table* (*api_function)(uint32_t, gputide_error*);

static int decide_once(const gputide_api_table* api) {
    static const char text[] =
        "{\"apiVersion\":\"keda.sh/v1alpha1\",\"kind\":\"ScaledObject\",\"metadata\":{\"name\":\"demo\"},"
        "\"spec\":{\"scaleTargetRef\":{\"name\":\"demo\"},\"maxReplicaCount\":20,\"minReplicaCount\":1,"
        "\"triggers\":[{\"type\":\"values\",\"metadata\":{\"threshold\":\"5\"}}]}}";
    gputide_error err = {.struct_size = sizeof err};
    gputide_policy* policy = NULL;
    gputide_state* state = NULL;
    gputide_sample idle = {.struct_size = sizeof idle, .state = GPUTIDE_SAMPLE_OK, .value = 5.25};
    gputide_observation seen = {.struct_size = sizeof seen, .now_ms = 1795255200000, .current_replicas = 1};
    gputide_decision next = {.struct_size = sizeof next};
    seen.samples = &idle;
    seen.sample_count = 1;
    seen.sample_size = sizeof idle;

    int ok = api->policy_open(text, GPUTIDE_TEXT, NULL, &policy, &err) == GPUTIDE_OK &&
             api->state_new(policy, 0, &state, &err) == GPUTIDE_OK &&
             api->decide(policy, state, &seen, &next, NULL, &err) == GPUTIDE_OK;
    if (ok) {
        printf("gputide %s: %d -> %d, limited by %s\n", api->version(), next.current_replicas, next.desired_replicas,
               api->limit_name(next.limited_by));
    } else {
        fprintf(stderr, "%s: %s\n", api->status_name(err.status), err.message);
    }
    api->state_free(state);
    api->policy_free(policy);
    return ok ? 0 : 1;
}

int main(int argc, char** argv) {
    void* library = dlopen(argc > 1 ? argv[1] : "libgputide.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
    void* symbol = dlsym(library, "gputide_api");
    api_function get_api = NULL;
    memcpy(&get_api, &symbol, sizeof get_api); /* ISO C has no cast from object to function pointer */
    if (get_api == NULL) return fprintf(stderr, "gputide_api is missing\n"), 1;

    gputide_error err = {.struct_size = sizeof err};
    const gputide_api_table* api = get_api(GPUTIDE_ABI_VERSION, &err);
    if (api == NULL) return fprintf(stderr, "%s\n", err.message), 1;
    const int result = decide_once(api);
    dlclose(library);
    return result;
}
