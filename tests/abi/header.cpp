#include "gputide/gputide.h"

int gputide_header_stands_alone_in_cxx11();
int gputide_header_stands_alone_in_cxx11() { return GPUTIDE_OK; }
