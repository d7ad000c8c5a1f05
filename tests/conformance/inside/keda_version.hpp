// The release that a case holds for.
#pragma once

#include "config/versions.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace conformance {

// `keda_version` of a case; absent: the newest one.
inline gputide::config::original_versions keda_versions_of(const nlohmann::json& one) {
    namespace config = gputide::config;
    config::original_versions out;
    if (one.contains("keda_version"))
        out.keda = config::read_version(config::original::keda, one.at("keda_version").get<std::string>()).value();
    return out;
}

}  // namespace conformance
