/* A program as an earlier header would have built it: its structs end before the newest members.  The library must work for
 * it and must not write beyond what it has. */
#include "gputide/gputide.h"

#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                                            \
    do {                                                                                            \
        if (!(condition)) return fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), 1; \
    } while (0)

static const char text[] =
    "{\"apiVersion\":\"keda.sh/v1alpha1\",\"kind\":\"ScaledObject\",\"metadata\":{\"name\":\"old\"},"
    "\"spec\":{\"scaleTargetRef\":{\"name\":\"old\"},\"minReplicaCount\":1,"
    "\"triggers\":[{\"type\":\"values\",\"metadata\":{\"threshold\":\"5\"}}]}}";

static int untouched(const unsigned char* bytes, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
        if (bytes[i] != 0xA5) return 0;
    }
    return 1;
}

/* A decision that ends behind `limited_by`, an error that ends behind `where`, a sample that ends behind `value`. */
static int shorter_structs(void) {
    unsigned char decision_room[sizeof(gputide_decision)];
    unsigned char error_room[sizeof(gputide_error)];
    memset(decision_room, 0xA5, sizeof decision_room);
    memset(error_room, 0xA5, sizeof error_room);
    gputide_decision* next = (gputide_decision*)(void*)decision_room;
    gputide_error* err = (gputide_error*)(void*)error_room;
    const uint32_t decision_size = offsetof(gputide_decision, source);
    const uint32_t error_size = offsetof(gputide_error, message);
    next->struct_size = decision_size;
    err->struct_size = error_size;

    gputide_policy* policy = NULL;
    gputide_state* state = NULL;
    CHECK(gputide_policy_open(text, GPUTIDE_TEXT, NULL, &policy, err) == GPUTIDE_OK);
    CHECK(gputide_state_new(policy, 0, &state, err) == GPUTIDE_OK);

    gputide_sample one;
    memset(&one, 0, sizeof one);
    one.struct_size = offsetof(gputide_sample, time_ms);
    one.value = 42.5;
    gputide_observation seen;
    memset(&seen, 0, sizeof seen);
    seen.struct_size = sizeof seen;
    seen.now_ms = 1795255200000;
    seen.current_replicas = 3;
    seen.samples = &one;
    seen.sample_count = 1;
    seen.sample_size = offsetof(gputide_sample, time_ms);
    CHECK(gputide_decide(policy, state, &seen, next, NULL, err) == GPUTIDE_OK);
    CHECK(next->struct_size == decision_size && next->current_replicas == 3 && next->proposed_replicas == 9);
    CHECK(untouched(decision_room, decision_size, sizeof decision_room));

    CHECK(gputide_policy_open("[", GPUTIDE_TEXT, NULL, &policy, err) == GPUTIDE_E_INVALID);
    CHECK(err->struct_size == error_size && err->status == GPUTIDE_E_INVALID);
    CHECK(untouched(error_room, error_size, sizeof error_room));

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
    memset(&seen, 0, sizeof seen);
    seen.known.struct_size = sizeof seen;
    gputide_policy* policy = NULL;
    gputide_state* state = NULL;
    gputide_decision next;
    memset(&next, 0, sizeof next);
    next.struct_size = sizeof next;
    CHECK(gputide_policy_open(text, GPUTIDE_TEXT, NULL, &policy, NULL) == GPUTIDE_OK);
    CHECK(gputide_state_new(policy, 0, &state, NULL) == GPUTIDE_OK);
    CHECK(gputide_decide(policy, state, &seen.known, &next, NULL, NULL) == GPUTIDE_OK);
    seen.unknown = 1;
    CHECK(gputide_decide(policy, state, &seen.known, &next, NULL, NULL) == GPUTIDE_E_TOO_NEW);
    gputide_state_free(state);
    gputide_policy_free(policy);
    return 0;
}

int main(void) {
    CHECK(gputide_abi_version() == 0);
    return shorter_structs() != 0 || longer_structs() != 0;
}
