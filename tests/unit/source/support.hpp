// Triggers for the tests of this module.
#pragma once

#include "manifest/spec.hpp"
#include "source/source.hpp"
#include "support/answers.hpp"

#include <map>
#include <string>
#include <utility>

namespace gputide::testing {

using metadata = std::map<std::string, std::string>;

// A prometheus trigger that asks http://prometheus:9090 for `up`; `more` adds and replaces keys.
inline manifest::trigger prometheus_trigger(const metadata& more = {}) {
    manifest::trigger out;
    out.type = "prometheus";
    out.metadata = {{"serverAddress", "http://prometheus:9090"}, {"query", "up"}, {"threshold", "5"}};
    for (const auto& [key, value] : more) out.metadata[key] = value;
    return out;
}

inline manifest::trigger with_auth(manifest::trigger from, const metadata& parameters) {
    for (const auto& [key, value] : parameters) from.auth.parameters.emplace(key, secret_text(value));
    return from;
}

}  // namespace gputide::testing
