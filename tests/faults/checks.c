#include "checks.h"

#include "gputide/gputide_table.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define NAMED "{\"apiVersion\":\"keda.sh/v1alpha1\",\"kind\":\"ScaledObject\",\"metadata\":{\"name\":\"demo\"},"
#define SCALED "\"spec\":{\"scaleTargetRef\":{\"name\":\"demo\"},\"minReplicaCount\":1,\"maxReplicaCount\":20,"

static const char numbers_alone[] =
    NAMED SCALED "\"triggers\":[{\"type\":\"values\",\"metadata\":{\"threshold\":\"5\"}}]}}";
static const char with_address[] = NAMED SCALED
    "\"triggers\":[{\"type\":\"prometheus\",\"metadata\":{\"serverAddress\":\"%s\",\"query\":\"gpu\","
    "\"threshold\":\"5\",\"timeout\":\"20000\"}}]}}";
/* 42.5 a pod's target of 5 is 9 replicas; from 3, a first step goes no further than 6. */
static const double utilization = 42.5;
static const int32_t replicas = 3;
static const int32_t desired = 6;
static const int64_t now_ms = 1795255200000;

typedef const gputide_api_table* (*api_entry)(uint32_t, gputide_error*);

static int failed(const char* step, const char* reason) {
    fprintf(stderr, "%s: %s\n", step, reason);
    return 1;
}

static const gputide_api_table* load(const char* mode, const char* path) {
    const int scope = strcmp(mode, "deepbind") == 0 ? RTLD_LOCAL | RTLD_DEEPBIND
                      : strcmp(mode, "global") == 0 ? RTLD_GLOBAL
                                                    : RTLD_LOCAL;
    void* const library = dlopen(path, RTLD_NOW | scope);
    void* const symbol = library != NULL ? dlsym(library, "gputide_api") : NULL;
    api_entry entry;
    if (symbol == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return NULL;
    }
    memcpy(&entry, &symbol, sizeof entry);
    return entry(GPUTIDE_ABI_VERSION, NULL);
}

static int decides_from_numbers(const gputide_api_table* api) {
    gputide_error err = {.struct_size = sizeof err};
    gputide_decision next = {.struct_size = sizeof next};
    gputide_policy* policy = NULL;
    gputide_state* state = NULL;
    if (api->policy_open(numbers_alone, GPUTIDE_TEXT, NULL, &policy, &err) != GPUTIDE_OK ||
        api->state_new(policy, 0, &state, &err) != GPUTIDE_OK ||
        api->decide_values(policy, state, now_ms, replicas, &utilization, 1, &next, &err) != GPUTIDE_OK) {
        return failed("a decision from numbers", err.message);
    }
    if (next.desired_replicas != desired) return failed("a decision from numbers", "not the replicas that are due");
    api->state_free(state);
    api->policy_free(policy);
    return 0;
}

static int decides_from(const gputide_api_table* api, const char* url, const char* ca_file) {
    gputide_error err = {.struct_size = sizeof err};
    gputide_options options = {.struct_size = sizeof options};
    gputide_observation seen = {.struct_size = sizeof seen};
    gputide_decision next = {.struct_size = sizeof next};
    gputide_text report = {0};
    gputide_scaler* scaler = NULL;
    char manifest[1024];
    snprintf(manifest, sizeof manifest, with_address, url);
    options.ca_file = ca_file;
    seen.now_ms = now_ms;
    seen.current_replicas = replicas;
    if (api->scaler_open(manifest, GPUTIDE_TEXT, &options, &scaler, &err) != GPUTIDE_OK ||
        api->scaler_tick(scaler, &seen, 20000, NULL, &next, &report, &err) != GPUTIDE_OK) {
        return failed("a decision over HTTPS", err.message);
    }
    if (next.desired_replicas != desired) return failed("a decision over HTTPS", report.data);
    api->text_free(&report);
    api->scaler_free(scaler);
    return 0;
}

static int is_refusal(const char* step, gputide_status status, const gputide_error* err, const char* symbol) {
    if (status != GPUTIDE_E_SECURITY) return failed(step, "not refused as E_SECURITY");
    if (strstr(err->message, symbol) == NULL || strstr(err->message, "RTLD_DEEPBIND") == NULL)
        return failed(step, err->message);
    return 0;
}

static int refuses(const gputide_api_table* api, const char* symbol) {
    gputide_error err = {.struct_size = sizeof err};
    gputide_scaler* scaler = NULL;
    gputide_runtime* runtime = NULL;
    char manifest[1024];
    snprintf(manifest, sizeof manifest, with_address, "https://127.0.0.1:9");
    if (is_refusal("scaler_open", api->scaler_open(manifest, GPUTIDE_TEXT, NULL, &scaler, &err), &err, symbol) != 0)
        return 1;
    if ((api->features() & GPUTIDE_FEATURE_HTTP2) != 0) return failed("features", "HTTP/2, which nothing may use here");
    if (strstr(api->build_info(), "\"tls\"") != NULL) return failed("build_info", "the TLS of another library");
    return is_refusal("runtime_new", api->runtime_new(NULL, &runtime, &err), &err, symbol);
}

int check_library(int count, const char* const* words) {
    const int whole = count == 6 && strcmp(words[3], "whole") == 0;
    const gputide_api_table* api;
    if (!whole && (count != 5 || strcmp(words[3], "refused") != 0)) return failed("usage", "see checks.h");
    api = load(words[1], words[2]);
    if (api == NULL) return failed("loading", words[2]);
    if (decides_from_numbers(api) != 0) return 1;
    return whole ? decides_from(api, words[4], words[5]) : refuses(api, words[4]);
}
