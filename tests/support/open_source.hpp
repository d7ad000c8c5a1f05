// A trigger described and opened in one go, as the library's own callers do it in two.
#pragma once

#include "source/source.hpp"

namespace gputide::testing {

inline result<std::shared_ptr<source::metric_source>> open_source(
    const manifest::trigger& trigger, const manifest::trigger_rules& rules = {},
    manifest::profile profile = manifest::profile::standard, const source::services& services = {},
    text::report* findings = nullptr) {
    auto described = source::describe(trigger, rules, profile, findings);
    if (!described) return std::move(described).failure();
    return source::open(*described, services);
}

}  // namespace gputide::testing
