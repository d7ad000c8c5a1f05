// Arbitrary bytes as a change of a node pool and as what Azure Resource Manager tells of one; what is read is written again, and
// reads as the same.  Built for libFuzzer.
#include "kubernetes/aks/pool.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace aks = gputide::aks;

// The name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const auto wanted = aks::read_change(text);
    const auto pool = aks::read_pool(text);
    if (!pool) return 0;
    if (wanted) (void)aks::changed(pool->size, *wanted);
    const auto again = aks::read_pool(aks::body_with(*pool, pool->size));
    if (!again || again->size.autoscaling != pool->size.autoscaling || again->size.count != pool->size.count)
        __builtin_trap();
    return 0;
}
