/* Parts that one call of a C function needs beside its handle, in C memory: cgo lets no Go memory point to other Go memory, and an error
 * struct is too large to be made anew each time.  Frames are kept in a pool (frame.go). */
#ifndef GPUTIDE_GO_FRAME_H
#define GPUTIDE_GO_FRAME_H

#include "gputide_calls.h"

#include <stdlib.h>

typedef struct call_frame {
    gputide_error err;
    gputide_decision decision;
    gputide_observation observation;
    gputide_sample sample;
    gputide_event event;
    gputide_token_info token;
    gputide_runtime_options runtime;
    gputide_text text;
    gputide_text lines;
    void* handle; /* T** out of the functions that open */
    uint64_t id;
    int64_t number;
    int32_t small;
    uint32_t count;
    double buffer[512]; /* for what the structs above point to; more comes from malloc */
} call_frame;

#endif /* GPUTIDE_GO_FRAME_H */
