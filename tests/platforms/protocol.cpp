// Protocol 1 (docs/conformance.md) on the pure library's sources: the C functions that it has, from the files of the program for C.
#include "protocol/call.cpp"
#include "protocol/calls_library.cpp"
#include "protocol/calls_plan.cpp"
#include "protocol/program.cpp"
#include "protocol/structs.cpp"
