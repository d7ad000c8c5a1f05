/* A libgputide that is the wrong one: -DABI=99 -DRELEASE=99000000.  One file for the loading tests of every binding.  With the right
 * ABI and release it lacks everything else, except gputide_features() with -DFEATURES=3. */
#include <stdint.h>
#include <stdio.h>

int32_t gputide_abi_version(void);
const char* gputide_version(void);

#ifdef FEATURES
uint32_t gputide_features(void);

uint32_t gputide_features(void) { return FEATURES; }
#endif

int32_t gputide_abi_version(void) { return ABI; }

const char* gputide_version(void) {
    static char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", RELEASE / 1000000, RELEASE / 1000 % 1000, RELEASE % 1000);
    return text;
}
