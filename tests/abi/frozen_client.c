/* A client of the day when ABI 1 was frozen: built with the declarations of tests/abi/frozen.json alone, whatever the headers have
 * become, and run with today's library.  Each section does its work for it, and nothing is written behind a struct of that day. */
#include "gputide/gputide_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                             \
    do {                                                                                             \
        if (!(condition)) {                                                                          \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, guarded.err.message); \
            exit(1);                                                                                 \
        }                                                                                            \
    } while (0)
#define DONE(call) CHECK((call) == GPUTIDE_OK)

enum { GUARD_BYTES = 512, GUARD = 0xA5 };
static const int64_t now_ms = 1795255200000;

/* Everything that the library writes to, each with bytes behind it that nothing may touch. */
static struct {
    gputide_error err;
    unsigned char behind_err[GUARD_BYTES];
    gputide_decision decision;
    unsigned char behind_decision[GUARD_BYTES];
    gputide_event event;
    unsigned char behind_event[GUARD_BYTES];
    gputide_sample sample;
    unsigned char behind_sample[GUARD_BYTES];
    gputide_floor floor;
    unsigned char behind_floor[GUARD_BYTES];
    gputide_nodes_summary nodes;
    unsigned char behind_nodes[GUARD_BYTES];
    gputide_text text;
    unsigned char behind_text[GUARD_BYTES];
} guarded;

static void untouched(const unsigned char* bytes) {
    for (int i = 0; i < GUARD_BYTES; ++i) CHECK(bytes[i] == GUARD);
}

static void guard(void) {
    memset(&guarded, GUARD, sizeof guarded);
    guarded.err.struct_size = sizeof guarded.err;
    guarded.err.message[0] = '\0';
    guarded.decision.struct_size = sizeof guarded.decision;
    guarded.event.struct_size = sizeof guarded.event;
    guarded.sample.struct_size = sizeof guarded.sample;
    guarded.floor.struct_size = sizeof guarded.floor;
    guarded.nodes.struct_size = sizeof guarded.nodes;
    memset(&guarded.text, 0, sizeof guarded.text);
}

static void nothing_behind(void) {
    untouched(guarded.behind_err);
    untouched(guarded.behind_decision);
    untouched(guarded.behind_event);
    untouched(guarded.behind_sample);
    untouched(guarded.behind_floor);
    untouched(guarded.behind_nodes);
    untouched(guarded.behind_text);
}

/* The last text that came, if it has this word. */
static void says(const char* word) {
    if (guarded.text.data == NULL || strstr(guarded.text.data, word) == NULL) {
        fprintf(stderr, "no %s in %s\n", word, guarded.text.data == NULL ? "nothing" : guarded.text.data);
        exit(1);
    }
    gputide_text_free(&guarded.text);
}

static const char manifest[] =
    "{\"apiVersion\":\"keda.sh/v1alpha1\",\"kind\":\"ScaledObject\",\"metadata\":{\"name\":\"old\"},"
    "\"spec\":{\"scaleTargetRef\":{\"name\":\"old\"},\"minReplicaCount\":1,"
    "\"triggers\":[{\"type\":\"values\",\"metadata\":{\"threshold\":\"5\"}}]}}";

static gputide_observation seen_with(const gputide_sample* sample) {
    gputide_observation seen = {.struct_size = sizeof seen, .now_ms = now_ms, .current_replicas = 3};
    seen.samples = sample;
    seen.sample_count = 1;
    seen.sample_size = sizeof *sample;
    return seen;
}

static void policy_and_decide(const gputide_observation* seen) {
    gputide_policy* policy = NULL;
    gputide_state* state = NULL;
    DONE(gputide_policy_open(manifest, GPUTIDE_TEXT, NULL, &policy, &guarded.err));
    DONE(gputide_state_new(policy, now_ms, &state, &guarded.err));
    DONE(gputide_decide(policy, state, seen, &guarded.decision, &guarded.text, &guarded.err));
    CHECK(guarded.decision.desired_replicas == 6 && guarded.decision.conditions[0].truth != 0);
    says("desired_replicas");
    DONE(gputide_state_record(policy, state, &guarded.decision, 1, now_ms, &guarded.err));
    CHECK(gputide_policy_open("[", GPUTIDE_TEXT, NULL, &policy, &guarded.err) == GPUTIDE_E_INVALID);
    CHECK(guarded.err.status == GPUTIDE_E_INVALID && guarded.err.message[0] != '\0');
    gputide_state_free(state);
    gputide_policy_free(policy);
}

static void source(void) {
    const char* trigger =
        "{\"type\":\"prometheus\",\"metadata\":{\"serverAddress\":\"http://"
        "127.0.0.1:9\",\"query\":\"q\",\"threshold\":\"5\"}}";
    const char* answer =
        "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[{\"metric\":{},\"value\":[1,\"42.5\"]}"
        "]}}";
    gputide_source* source = NULL;
    DONE(gputide_source_open(trigger, GPUTIDE_TEXT, NULL, &source, &guarded.err));
    DONE(gputide_source_parse(source, 200, answer, GPUTIDE_TEXT, &guarded.sample, &guarded.err));
    CHECK(guarded.sample.state == GPUTIDE_SAMPLE_OK && guarded.sample.value == 42.5);
    gputide_source_free(source);
}

static void scaler_and_runtime(const gputide_observation* seen) {
    gputide_options options = {.struct_size = sizeof options, .text_name = "old.yaml"};
    gputide_scaler* scaler = NULL;
    DONE(gputide_scaler_open(manifest, GPUTIDE_TEXT, &options, &scaler, &guarded.err));
    DONE(gputide_scaler_tick(scaler, seen, 1000, NULL, &guarded.decision, NULL, &guarded.err));
    CHECK(guarded.decision.desired_replicas == 6);
    gputide_scaler_free(scaler);
    gputide_runtime_options settings = {.struct_size = sizeof settings, .start_spread_ms = 1};
    gputide_runtime* runtime = NULL;
    uint64_t id = 0;
    DONE(gputide_runtime_new(&settings, &runtime, &guarded.err));
    DONE(gputide_runtime_add(runtime, manifest, GPUTIDE_TEXT, NULL, 7, &id, &guarded.err));
    DONE(gputide_runtime_observe(runtime, id, seen, &guarded.err));
    DONE(gputide_runtime_next_event(runtime, 10000, NULL, &guarded.event, &guarded.decision, NULL, &guarded.err));
    CHECK(guarded.event.tag == 7 && strcmp(guarded.event.name, "default/old") == 0);
    CHECK(guarded.decision.desired_replicas == 6);
    DONE(gputide_runtime_close(runtime, GPUTIDE_FOREVER, &guarded.err));
    gputide_runtime_free(runtime);
}

static void replay(void) {
    const int64_t times_ms[] = {now_ms, now_ms + 15000};
    const double values[] = {12.0, 42.5};
    gputide_series* series = NULL;
    gputide_replay* replay = NULL;
    DONE(gputide_series_new(&series, &guarded.err));
    DONE(gputide_series_add(series, 0, times_ms, values, 2, &guarded.err));
    DONE(gputide_replay_open(manifest, GPUTIDE_TEXT, NULL, NULL, 0, &replay, &guarded.err));
    DONE(gputide_replay_run(replay, series, NULL, &guarded.err));
    DONE(gputide_replay_report(replay, &guarded.text, &guarded.err));
    says("\"points\":2");
    gputide_replay_free(replay);
    gputide_series_free(series);
}

static void forecast(void) {
    gputide_forecast* forecast = NULL;
    DONE(gputide_forecast_open("{\"lead_ms\":300000}", GPUTIDE_TEXT, &forecast, &guarded.err));
    DONE(gputide_forecast_add(forecast, now_ms, 42.5, &guarded.err));
    DONE(gputide_forecast_floor(forecast, 5.0, 9, 3, 20, &guarded.floor, &guarded.err));
    CHECK(guarded.floor.replicas == 9 && guarded.floor.state == GPUTIDE_FORECAST_WARMING);
    gputide_forecast_free(forecast);
}

static void nodes(void) {
    const char* cluster =
        "{\"pools\":[{\"id\":\"gpu\",\"size\":0,\"min\":0,\"max\":4,\"allocatable\":{\"cpu\":8000,\"memory\":\"32Gi\","
        "\"nvidia.com/"
        "gpu\":1}}],\"groups\":[{\"name\":\"train\",\"count\":2,\"pod\":{\"requests\":{\"cpu\":1000,\"nvidia.com/"
        "gpu\":1}}}]}";
    DONE(gputide_nodes_plan(cluster, GPUTIDE_TEXT, NULL, 0, now_ms, &guarded.nodes, &guarded.text, NULL, &guarded.err));
    CHECK(guarded.nodes.pods_pending == 2 && guarded.nodes.nodes_to_add == 2);
    says("gpu");
}

static void rightsize(void) {
    gputide_usage_sample samples[2] = {{.time_ms = now_ms, .flags = GPUTIDE_USAGE_BUSY | GPUTIDE_USAGE_MEMORY},
                                       {.time_ms = now_ms + 60000, .flags = GPUTIDE_USAGE_BUSY | GPUTIDE_USAGE_MEMORY}};
    for (int i = 0; i < 2; ++i) {
        samples[i].busy = 30.5;
        samples[i].memory_bytes = 5000000000;
    }
    gputide_rightsize* rightsize = NULL;
    uint32_t counted = 0;
    DONE(gputide_rightsize_open("", 0, NULL, &rightsize, &guarded.err));
    DONE(gputide_rightsize_add(rightsize, samples, sizeof samples[0], 2, &counted, &guarded.err));
    CHECK(counted == 2);
    DONE(gputide_rightsize_recommend(rightsize, 0, now_ms + 60000, &guarded.text, &guarded.err));
    says("verdict");
    gputide_rightsize_free(rightsize);
}

static void jobs(void) {
    const char* job =
        "{\"apiVersion\":\"keda.sh/"
        "v1alpha1\",\"kind\":\"ScaledJob\",\"metadata\":{\"name\":\"old\"},\"spec\":{\"jobTargetRef\":"
        "{\"template\":{\"spec\":{\"containers\":[{\"name\":\"one\"}]}}},\"triggers\":[{\"type\":\"values\","
        "\"metadata\":"
        "{\"threshold\":\"2\"}}]}}";
    const char* seen = "{\"values\":[12.5],\"running\":3,\"pending\":0}";
    DONE(gputide_scaled_job_decide(job, GPUTIDE_TEXT, NULL, seen, GPUTIDE_TEXT, &guarded.text, &guarded.err));
    says("\"create\":4");
}

/* A program that loads the library itself has the table of that day in its first members. */
static void table(void) {
    const gputide_api_table* api = gputide_api(GPUTIDE_ABI_VERSION, &guarded.err);
    CHECK(api != NULL && api->struct_size >= sizeof *api && api->abi_version == GPUTIDE_ABI_VERSION);
    CHECK(api->decide == gputide_decide && api->scaler_tick == gputide_scaler_tick);
    const gputide_plan_api_table* plan = gputide_plan_api(GPUTIDE_ABI_VERSION, &guarded.err);
    CHECK(plan != NULL && plan->struct_size >= sizeof *plan && plan->nodes_plan == gputide_nodes_plan);
    const gputide_kubernetes_api_table* kubernetes = gputide_kubernetes_api(GPUTIDE_ABI_VERSION, &guarded.err);
    CHECK(kubernetes != NULL && kubernetes->struct_size >= sizeof *kubernetes);
    CHECK(kubernetes->cluster_list == gputide_cluster_list);
}

int main(void) {
    guard();
    CHECK(gputide_abi_version() == GPUTIDE_ABI_VERSION);
    const gputide_sample sample = {.struct_size = sizeof sample, .state = GPUTIDE_SAMPLE_OK, .value = 29.0};
    const gputide_observation seen = seen_with(&sample);
    policy_and_decide(&seen);
    source();
    scaler_and_runtime(&seen);
    replay();
    forecast();
    nodes();
    rightsize();
    jobs();
    table();
    nothing_behind();
    return 0;
}
