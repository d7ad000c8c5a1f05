/* A program as the header of release 0.3 built it: the structs below are that header's, copied, and stay as they are while
 * the headers grow.  The library must work for it, and must not write beyond what it has. */
#include "gputide/gputide.h"

#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                                            \
    do {                                                                                            \
        if (!(condition)) return fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), 1; \
    } while (0)

struct sample_0_3 {
    uint32_t struct_size;
    int32_t state;
    int32_t status;
    uint32_t flags;
    double value;
    int64_t time_ms;
    const char* message;
};

struct observation_0_3 {
    uint32_t struct_size;
    uint32_t flags;
    int64_t now_ms;
    int32_t current_replicas;
    int32_t status_replicas;
    int32_t ready_replicas;
    uint32_t sample_count;
    const struct sample_0_3* samples;
    const void* pods;
    const void* pod_samples;
    uint32_t pod_count;
    uint32_t pod_sample_count;
    uint32_t sample_size;
    uint32_t pod_size;
    uint32_t pod_sample_size;
    uint32_t reserved;
    const char* message;
};

struct decision_0_3 {
    uint32_t struct_size;
    uint32_t flags;
    uint64_t id;
    int64_t now_ms;
    int64_t next_due_ms;
    int32_t current_replicas;
    int32_t desired_replicas;
    int32_t proposed_replicas;
    int32_t limited_by;
    int32_t source;
    int32_t winner;
    int32_t failed_metric;
    int32_t event;
    struct {
        int32_t truth;
        int32_t reason;
        int64_t since_ms;
    } conditions[16];
    int32_t forecast_state;
    int32_t forecast_need;
    const char* message;
};

struct error_0_3 {
    uint32_t struct_size;
    int32_t status;
    int32_t action;
    int32_t retryable;
    int32_t http_status;
    int32_t reserved;
    int64_t retry_at_ms;
    char service_code[64];
    char where[128];
    char message[2048];
    char detail[4096];
};

static const char text[] =
    "{\"apiVersion\":\"keda.sh/v1alpha1\",\"kind\":\"ScaledObject\",\"metadata\":{\"name\":\"old\"},"
    "\"spec\":{\"scaleTargetRef\":{\"name\":\"old\"},\"minReplicaCount\":1,"
    "\"triggers\":[{\"type\":\"values\",\"metadata\":{\"threshold\":\"5\"}}]}}";

/* Memory of the old program, with bytes behind each struct that must not be touched. */
static struct {
    struct decision_0_3 decision;
    unsigned char behind_decision[64];
    struct error_0_3 err;
    unsigned char behind_error[64];
} memory;

static int untouched(const unsigned char* bytes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (bytes[i] != 0xA5) return 0;
    }
    return 1;
}

static gputide_error* old_error(void) { return (gputide_error*)(void*)&memory.err; }
static gputide_decision* old_decision(void) { return (gputide_decision*)(void*)&memory.decision; }

static int structs_of_0_3(void) {
    memset(&memory, 0xA5, sizeof memory);
    memory.decision.struct_size = sizeof memory.decision;
    memory.decision.message = NULL;
    memory.err.struct_size = sizeof memory.err;
    gputide_policy* policy = NULL;
    gputide_state* state = NULL;
    CHECK(gputide_policy_open(text, GPUTIDE_TEXT, NULL, &policy, old_error()) == GPUTIDE_OK);
    CHECK(gputide_state_new(policy, 0, &state, old_error()) == GPUTIDE_OK);

    const struct sample_0_3 entry = {.struct_size = sizeof entry, .state = 1, .value = 42.5};
    struct observation_0_3 seen = {.struct_size = sizeof seen, .now_ms = 1795255200000, .current_replicas = 3};
    seen.samples = &entry;
    seen.sample_count = 1;
    seen.sample_size = sizeof entry;
    CHECK(gputide_decide(policy, state, (const gputide_observation*)(const void*)&seen, old_decision(), NULL,
                         old_error()) == GPUTIDE_OK);
    CHECK(memory.decision.struct_size == sizeof memory.decision);
    CHECK(memory.decision.current_replicas == 3 && memory.decision.proposed_replicas == 9);
    CHECK(gputide_state_record(policy, state, old_decision(), 1, 1795255200000, old_error()) == GPUTIDE_OK);
    CHECK(untouched((const unsigned char*)&memory.err + sizeof memory.err.struct_size, 64)); /* nothing has failed */

    CHECK(gputide_policy_open("[", GPUTIDE_TEXT, NULL, &policy, old_error()) == GPUTIDE_E_INVALID);
    CHECK(memory.err.struct_size == sizeof memory.err && memory.err.status == GPUTIDE_E_INVALID);
    CHECK(memory.err.message[0] != '\0');
    CHECK(untouched(memory.behind_decision, sizeof memory.behind_decision));
    CHECK(untouched(memory.behind_error, sizeof memory.behind_error));
    gputide_state_free(state);
    gputide_policy_free(policy);
    return 0;
}

/* A struct smaller than in release 0.3 is refused and not written to. */
static int shorter_structs(void) {
    memset(&memory, 0xA5, sizeof memory);
    memory.decision.struct_size = offsetof(struct decision_0_3, conditions);
    memory.err.struct_size = offsetof(struct error_0_3, detail);
    gputide_policy* policy = NULL;
    gputide_state* state = NULL;
    const double number = 42.5;
    CHECK(gputide_policy_open(text, GPUTIDE_TEXT, NULL, &policy, NULL) == GPUTIDE_OK);
    CHECK(gputide_state_new(policy, 0, &state, NULL) == GPUTIDE_OK);
    CHECK(gputide_decide_values(policy, state, 1795255200000, 3, &number, 1, old_decision(), old_error()) ==
          GPUTIDE_E_INVALID);
    CHECK(untouched((const unsigned char*)&memory.decision + 4, sizeof memory.decision - 4));
    CHECK(untouched((const unsigned char*)&memory.err + 4, sizeof memory.err - 4));
    gputide_state_free(state);
    gputide_policy_free(policy);
    return 0;
}

/* The other way round: a caller that is newer than the library and sets what the library does not know. */
static int longer_structs(void) {
    struct {
        gputide_observation known;
        int64_t unknown;
    } seen;
    gputide_sample sample = {.struct_size = sizeof sample, .state = GPUTIDE_SAMPLE_OK, .value = 1.0};
    memset(&seen, 0, sizeof seen);
    seen.known.struct_size = sizeof seen;
    seen.known.now_ms = 1795255200000;
    seen.known.samples = &sample;
    seen.known.sample_count = 1;
    seen.known.sample_size = sizeof sample;
    gputide_policy* policy = NULL;
    gputide_state* state = NULL;
    gputide_decision next = {.struct_size = sizeof next};
    CHECK(gputide_policy_open(text, GPUTIDE_TEXT, NULL, &policy, NULL) == GPUTIDE_OK);
    CHECK(gputide_state_new(policy, 0, &state, NULL) == GPUTIDE_OK);
    CHECK(gputide_decide(policy, state, &seen.known, &next, NULL, NULL) == GPUTIDE_OK);
    seen.unknown = 1;
    CHECK(gputide_decide(policy, state, &seen.known, &next, NULL, NULL) == GPUTIDE_E_TOO_NEW);
    seen.unknown = 0;
    seen.known.reserved = 1;
    CHECK(gputide_decide(policy, state, &seen.known, &next, NULL, NULL) == GPUTIDE_E_TOO_NEW);
    seen.known.reserved = 0;
    seen.known.flags = 1U << 31;
    CHECK(gputide_decide(policy, state, &seen.known, &next, NULL, NULL) == GPUTIDE_E_TOO_NEW);
    gputide_state_free(state);
    gputide_policy_free(policy);
    return 0;
}

int main(void) {
    CHECK(gputide_abi_version() == 1);
    return structs_of_0_3() != 0 || shorter_structs() != 0 || longer_structs() != 0;
}
