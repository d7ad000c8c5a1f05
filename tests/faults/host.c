/* A host that exports other libraries' symbols; calling one of them ends it (poison.sh).  Arguments: checks.h. */
#include "checks.h"

#include <stdio.h>
#include <stdlib.h>

void poisoned(const char* name);

void poisoned(const char* name) {
    fprintf(stderr, "the host's %s was called\n", name);
    abort();
}

int main(int count, char** words) { return check_library(count, (const char* const*)words); }
