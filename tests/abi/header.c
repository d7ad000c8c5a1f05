#include "gputide/gputide.h"

int gputide_header_stands_alone_in_c99(void);
int gputide_header_stands_alone_in_c99(void) { return GPUTIDE_OK; }
