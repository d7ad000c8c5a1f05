/* A libgputide that is the wrong one: -DABI=99 -DRELEASE=99000000.  One file for the loading tests of every binding.  With the right
 * ABI and release it is one that lacks everything else. */
#include <stdint.h>

int32_t gputide_abi_version(void);
int32_t gputide_version_number(void);

int32_t gputide_abi_version(void) { return ABI; }
int32_t gputide_version_number(void) { return RELEASE; }
