// A trigger described and opened in one go, as the library's own callers do it in two.
#pragma once

#include "source/source.hpp"
#include "source/target.hpp"

namespace gputide::testing {

inline result<std::shared_ptr<source::metric_source>> open_source(
    const manifest::trigger& trigger, const manifest::trigger_rules& rules = {},
    manifest::profile profile = manifest::profile::standard, const source::services& services = {},
    text::report* findings = nullptr) {
    auto described = source::describe(trigger, rules, profile, findings);
    if (!described) return std::move(described).failure();
    return source::open(*described, services);
}

// Returns the settings that a type's read_settings() makes of a trigger, or all errors.
template <class Read>
auto settings_of(Read read_settings, std::span<const text::field> keys, const manifest::trigger& trigger,
                 const manifest::trigger_rules& rules = {}, manifest::profile profile = manifest::profile::standard,
                 text::report* findings = nullptr) {
    source::trigger_reader read(trigger, rules, profile, keys, findings);
    auto out = read_settings(read);
    if (read.lacking().status != status::ok) out = read.lacking();
    return out;
}

}  // namespace gputide::testing
