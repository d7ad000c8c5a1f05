// Answers of a peer, as readers get them.
#pragma once

#include "wire/message.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gputide::testing {

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
