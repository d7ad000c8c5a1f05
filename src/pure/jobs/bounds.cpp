#include "jobs/bounds.hpp"

#include <algorithm>

namespace gputide::jobs {

bounds bounds_of(const config::scaled_job& job) {
    const std::int64_t min = job.min.value_or(0);
    if (job.profile == config::profile::standard) {
        const std::int64_t cap = job.max ? std::int64_t{*job.max} : std::max(default_max, min);
        const std::int64_t kept = std::min(min, cap);
        return {kept, cap - kept, cap};
    }
    if (!job.max) return {min, default_max, min + default_max};
    const std::int64_t max = *job.max;
    if (min > max) return {max, max, 2 * max};
    return {min, max - min, max};
}

}  // namespace gputide::jobs
