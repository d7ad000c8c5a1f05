/* A host of one flavor: links it, decides, and sees in gputide_features and in the tables what the library has.
 *   gputide_host_of_FLAVOR EXPECTED      EXPECTED: the components, "pure,core" */
#include "gputide/gputide_table.h"

#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                                            \
    do {                                                                                            \
        if (!(condition)) return fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), 1; \
    } while (0)

static const int64_t now_ms = 1795255200000;
static const char manifest[] =
    "{\"apiVersion\":\"keda.sh/v1alpha1\",\"kind\":\"ScaledObject\",\"metadata\":{\"name\":\"web\"},"
    "\"spec\":{\"scaleTargetRef\":{\"name\":\"web\"},\"minReplicaCount\":1,"
    "\"triggers\":[{\"type\":\"values\",\"metadata\":{\"threshold\":\"5\"}},"
    "{\"type\":\"prometheus\",\"metadata\":{\"serverAddress\":\"http://"
    "127.0.0.1:9\",\"query\":\"q\",\"threshold\":\"5\"}}]}}";

static int has(const char* components, const char* name, uint32_t bit) {
    const int expected = strstr(components, name) != NULL;
    if (expected == ((gputide_features() & bit) != 0)) return 1;
    fprintf(stderr, "gputide_features() says %u, expected %s\n", gputide_features(), components);
    return 0;
}

/* Every flavor checks manifests and decides from numbers. */
static int decides(void) {
    gputide_error err = {.struct_size = sizeof err};
    gputide_policy* policy = NULL;
    gputide_state* state = NULL;
    gputide_text report = {0};
    gputide_decision next = {.struct_size = sizeof next};
    const double values[] = {42.5, 1.0};
    CHECK(gputide_manifest_check(manifest, GPUTIDE_TEXT, NULL, &report, NULL, &err) == GPUTIDE_OK);
    CHECK(gputide_policy_open(manifest, GPUTIDE_TEXT, NULL, &policy, &err) == GPUTIDE_OK);
    CHECK(strcmp(gputide_policy_metric_name(policy, 1), "s1-prometheus") == 0);
    CHECK(gputide_state_new(policy, 0, &state, &err) == GPUTIDE_OK);
    CHECK(gputide_decide_values(policy, state, now_ms, 3, values, 2, &next, &err) == GPUTIDE_OK);
    CHECK(next.desired_replicas == 6 && next.winner == 0 && next.failed_metric == GPUTIDE_NO_METRIC);
    gputide_text_free(&report);
    gputide_state_free(state);
    gputide_policy_free(policy);
    return 0;
}

#ifndef HOST_OF_SOURCES /* tests/platforms: the sources have no tables */
/* The members of a table that this flavor lacks are NULL. */
static int has_tables(const char* components) {
    const gputide_api_table* api = gputide_api(GPUTIDE_ABI_VERSION, NULL);
    CHECK(api != NULL && api->struct_size == sizeof *api && api->decide == gputide_decide);
    const int core = strstr(components, "core") != NULL;
    CHECK((api->scaler_open != NULL) == core && (api->runtime_new != NULL) == core &&
          (api->source_open != NULL) == core);
#if defined(HOST_OF_PURE) || defined(HOST_OF_FULL)
    const gputide_plan_api_table* plan = gputide_plan_api(GPUTIDE_ABI_VERSION, NULL);
    CHECK(plan != NULL && plan->nodes_plan == gputide_nodes_plan && (plan->series_fetch != NULL) == core);
#endif
    return 0;
}
#endif

#if defined(HOST_OF_PURE) || defined(HOST_OF_FULL)
static int plans(void) {
    gputide_error err = {.struct_size = sizeof err};
    gputide_nodes_summary summary = {.struct_size = sizeof summary};
    const char* cluster =
        "{\"pools\":[{\"id\":\"gpu\",\"size\":0,\"min\":0,\"max\":4,\"allocatable\":{\"cpu\":8000,\"memory\":\"32Gi\","
        "\"nvidia.com/gpu\":1}}],\"groups\":[{\"name\":\"train\",\"count\":2,\"pod\":{\"requests\":{\"cpu\":1000,"
        "\"nvidia.com/gpu\":1}}}]}";
    CHECK(gputide_nodes_plan(cluster, GPUTIDE_TEXT, NULL, 0, now_ms, &summary, NULL, NULL, &err) == GPUTIDE_OK);
    CHECK(summary.nodes_to_add == 2);
    return 0;
}
#endif

#if defined(HOST_OF_CORE) || defined(HOST_OF_FULL)
static int opens(void) {
    gputide_error err = {.struct_size = sizeof err};
    gputide_scaler* scaler = NULL;
    gputide_runtime* runtime = NULL;
    CHECK(gputide_scaler_open(manifest, GPUTIDE_TEXT, NULL, &scaler, &err) == GPUTIDE_OK);
    CHECK(gputide_runtime_new(NULL, &runtime, &err) == GPUTIDE_OK);
    gputide_runtime_free(runtime);
    gputide_scaler_free(scaler);
    return 0;
}
#endif

int main(int argc, char** argv) {
    CHECK(argc == 2);
    CHECK(has(argv[1], "pure", GPUTIDE_FEATURE_PURE) && has(argv[1], "core", GPUTIDE_FEATURE_CORE));
    CHECK(has(argv[1], "plan", GPUTIDE_FEATURE_PLAN) && has(argv[1], "kubernetes", GPUTIDE_FEATURE_KUBERNETES));
    CHECK(decides() == 0);
#ifndef HOST_OF_SOURCES
    CHECK(has_tables(argv[1]) == 0);
#endif
#if defined(HOST_OF_PURE) || defined(HOST_OF_FULL)
    CHECK(plans() == 0);
#endif
#if defined(HOST_OF_CORE) || defined(HOST_OF_FULL)
    CHECK(opens() == 0);
#endif
    return 0;
}
