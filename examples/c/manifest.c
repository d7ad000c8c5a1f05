/* A manifest to a decision: fetches the metric, gets the token if one is needed, decides, prints.
 *   manifest so.yaml 3        3 is the current replica count */
#include "gputide/gputide.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static char text[1 << 20];

static int complain(const gputide_error* err) {
    fprintf(stderr, "%s: %s: %s\n", gputide_status_name(err->status), err->where, err->message);
    return 3;
}

int main(int argc, char** argv) {
    FILE* file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) return fprintf(stderr, "usage: manifest FILE REPLICAS\n"), 2;
    const size_t size = fread(text, 1, sizeof text, file);
    fclose(file);

    gputide_error err = {.struct_size = sizeof err};
    gputide_options options = {.struct_size = sizeof options, .flags = GPUTIDE_ALLOW_ENVIRONMENT, .text_name = argv[1]};
    gputide_scaler* scaler = NULL;
    if (gputide_scaler_open(text, (int64_t)size, &options, &scaler, &err) != GPUTIDE_OK) return complain(&err);

    gputide_observation seen = {.struct_size = sizeof seen, .now_ms = (int64_t)time(NULL) * 1000};
    seen.current_replicas = atoi(argv[2]);
    gputide_decision next = {.struct_size = sizeof next};
    const gputide_status status = gputide_scaler_tick(scaler, &seen, 5000, NULL, &next, NULL, &err);
    if (status == GPUTIDE_OK) {
        printf("%d -> %d (limited by: %s)\n", next.current_replicas, next.desired_replicas,
               gputide_limit_name(next.limited_by));
    }
    gputide_scaler_free(scaler);
    return status == GPUTIDE_OK ? 0 : complain(&err);
}
