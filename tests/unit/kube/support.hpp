// Answers of an API server.
#pragma once

#include "http/message.hpp"

#include <cstdint>
#include <string>

namespace gputide::testing {

inline http::answer answered(std::int32_t status, std::string body) {
    http::answer out;
    out.response.status = status;
    out.response.body = std::move(body);
    return out;
}

inline std::string external_list(const std::string& items) {
    return R"({"kind":"ExternalMetricValueList","apiVersion":"external.metrics.k8s.io/v1beta1","metadata":{},"items":[)" +
           items + "]}";
}

inline std::string status_object(std::int32_t code, const std::string& reason, const std::string& message,
                                 const std::string& more = {}) {
    return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":")" + message +
           R"(","reason":")" + reason + R"(","code":)" + std::to_string(code) + more + "}";
}

}  // namespace gputide::testing
