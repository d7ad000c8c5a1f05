// Several metrics; see combine.hpp.
#include "decide/hpa/combine.hpp"

#include <algorithm>

namespace gputide::decide {

combined combine_proposals(std::span<const proposal> metrics, std::int32_t spec_replicas) noexcept {
    combined out;
    std::int32_t best = 0;  // 0 also means that nothing was proposed yet, as upstream
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        const auto at = static_cast<std::int32_t>(i);
        if (metrics[i].failure != metric_failure::none) {
            ++out.failed;
            if (out.first_failed < 0) out.first_failed = at;
        } else if (best == 0 || metrics[i].replicas > best) {
            best = metrics[i].replicas;
            out.winner = at;
        }
    }
    const auto total = static_cast<std::int32_t>(metrics.size());
    out.valid = out.failed < total && (out.failed == 0 || best >= spec_replicas);
    out.replicas = std::max(best, 0);
    return out;
}

}  // namespace gputide::decide
