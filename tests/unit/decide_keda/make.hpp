// Small policies for the tests of the executor half.
#pragma once

#include "decide/policy.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace test {

using namespace gputide::decide;
namespace manifest = gputide::manifest;

inline metric_policy external(const std::string& user_name, std::size_t at = 0) {
    metric_policy out;
    out.name = "s" + std::to_string(at) + "-prometheus";
    out.user_name = user_name;
    out.target_milli = 10'000;
    return out;
}

inline metric_policy cpu() {
    metric_policy out;
    out.name = out.resource = "cpu";
    out.kind = metric_kind::resource;
    out.decides_activity = false;
    return out;
}

inline policy made(manifest::scaling spec, std::vector<metric_policy> metrics) {
    gputide::result<policy> out = make_policy(std::move(spec), std::move(metrics));
    if (!out) ADD_FAILURE() << out.failure().message;
    return out ? *std::move(out) : policy{};
}

inline manifest::scaling modified(const std::string& formula, const std::string& target = "2") {
    manifest::scaling out;
    out.name = "gpu";
    out.modifiers = manifest::scaling_modifiers{.formula = formula, .target = target};
    return out;
}

inline manifest::scaling strict(manifest::scaling from) {
    from.extra.profile = manifest::profile::strict;
    return from;
}

}  // namespace test
