/* A decision from plain numbers: no file, no network, no clock.  GPU utilization 42.5 % on 3 replicas, threshold 5. */
#include "gputide/gputide.h"

#include <stdio.h>

static const char policy_text[] =
    "{\"apiVersion\":\"keda.sh/v1alpha1\",\"kind\":\"ScaledObject\",\"metadata\":{\"name\":\"demo\"},"
    "\"spec\":{\"scaleTargetRef\":{\"name\":\"demo\"},\"minReplicaCount\":1,\"maxReplicaCount\":20,"
    "\"triggers\":[{\"type\":\"values\",\"metadata\":{\"threshold\":\"5\",\"activationThreshold\":\"2\"}}]}}";

int main(void) {
    gputide_error err = {.struct_size = sizeof err};
    gputide_policy* policy = NULL;
    gputide_state* state = NULL;
    gputide_decision next = {.struct_size = sizeof next};
    const double utilization = 42.5;

    gputide_status status = gputide_policy_open(policy_text, GPUTIDE_TEXT, NULL, &policy, &err);
    if (status == GPUTIDE_OK) status = gputide_state_new(policy, 0, &state, &err);
    if (status == GPUTIDE_OK)
        status = gputide_decide_values(policy, state, 1795255200000, 3, &utilization, 1, &next, &err);
    if (status == GPUTIDE_OK) {
        printf("%d -> %d, proposed %d, limited by %s\n", next.current_replicas, next.desired_replicas,
               next.proposed_replicas, gputide_limit_name(next.limited_by));
    } else {
        fprintf(stderr, "%s: %s\n", gputide_status_name(err.status), err.message);
    }
    gputide_state_free(state);
    gputide_policy_free(policy);
    return status == GPUTIDE_OK ? 0 : 1;
}
