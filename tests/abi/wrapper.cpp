#include "gputide/gputide.hpp"

int gputide_wrapper_stands_alone_in_cxx17();
int gputide_wrapper_stands_alone_in_cxx17() { return gputide::decision{}.current(); }
