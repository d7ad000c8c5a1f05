// Triggers and answers for the tests of this room.
#pragma once

#include "config/spec.hpp"
#include "http/message.hpp"
#include "source/source.hpp"

#include <map>
#include <string>
#include <utility>

namespace gputide::testing {

using metadata = std::map<std::string, std::string>;

// A prometheus trigger that asks http://prometheus:9090 for `up`; `more` adds and replaces keys.
inline config::trigger prometheus_trigger(const metadata& more = {}) {
    config::trigger out;
    out.type = "prometheus";
    out.metadata = {{"serverAddress", "http://prometheus:9090"}, {"query", "up"}, {"threshold", "5"}};
    for (const auto& [key, value] : more) out.metadata[key] = value;
    return out;
}

inline config::trigger with_auth(config::trigger from, const metadata& parameters) {
    for (const auto& [key, value] : parameters) from.auth.parameters.emplace(key, secret_text(value));
    return from;
}

inline http::answer answered(std::int32_t status, std::string body,
                             std::vector<http::response_header> headers = {{"Content-Type", "application/json"}}) {
    http::answer out;
    out.response.status = status;
    out.response.body = std::move(body);
    out.response.headers = std::move(headers);
    return out;
}

// A vector with one series per value, all at Unix second 1000.
inline std::string vector_of(const std::vector<std::string>& values) {
    std::string out = R"({"status":"success","data":{"resultType":"vector","result":[)";
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i != 0) out += ",";
        out += R"({"metric":{"gpu":")" + std::to_string(i) + R"("},"value":[1000,")" + values[i] + R"("]})";
    }
    return out + "]}}";
}

}  // namespace gputide::testing
