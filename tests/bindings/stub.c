/* A libgputide that is the wrong one: -DABI=99 -DRELEASE=99000000.  One file for the loading tests of every binding.  With the right
 * ABI and release it is one that lacks everything else. */
#include <stdint.h>
#include <stdio.h>

int32_t gputide_abi_version(void);
const char* gputide_version(void);

int32_t gputide_abi_version(void) { return ABI; }

const char* gputide_version(void) {
    static char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", RELEASE / 1000000, RELEASE / 1000 % 1000, RELEASE % 1000);
    return text;
}
