// An API server's words, and the module's way to it over a scripted loop.
#pragma once

#include "kubernetes/api/api.hpp"
#include "support/answers.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <memory>
#include <string>

namespace gputide::testing {

inline const std::string api_server = "https://api.test:6443";

struct api_world {
    std::shared_ptr<scripted_loop> loop = std::make_shared<scripted_loop>();
    std::shared_ptr<kubernetes::api> api =
        std::make_shared<kubernetes::api>(loop, kube::access{api_server, "own", true, auth::authenticator()});

    std::vector<std::string> asked() const {
        std::vector<std::string> out;
        for (const recorded_request& request : loop->requests()) {
            out.push_back(request.what.method + " " + request.what.url.substr(api_server.size()));
        }
        return out;
    }
    std::string body(std::size_t request) const { return std::string(loop->requests().at(request).what.body.reveal()); }
};

inline std::string status_body(std::int32_t code, const std::string& reason, const std::string& message = "no") {
    return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":")" + message +
           R"(","reason":")" + reason + R"(","code":)" + std::to_string(code) + "}";
}

inline std::string scale_body(std::int32_t replicas, const std::string& version, const std::string& uid = "u1") {
    const std::string spec = replicas == 0 ? "" : R"("replicas":)" + std::to_string(replicas);
    return R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"llm","namespace":"ml","uid":")" + uid +
           R"(","resourceVersion":")" + version + R"("},"spec":{)" + spec + R"(},"status":{"replicas":1}})";
}

inline std::string lease_body(const std::string& holder, const std::string& version, std::int64_t renewed_s,
                              const std::string& shards = "1", std::int64_t duration_s = 15) {
    return R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"gputide","namespace":"own","resourceVersion":")" +
           version + R"(","annotations":{"gputide.io/shards":")" + shards + R"("}},"spec":{"holderIdentity":")" +
           holder + R"(","leaseDurationSeconds":)" + std::to_string(duration_s) +
           R"(,"acquireTime":"2026-03-01T10:00:00.000000Z","renewTime":"2026-03-01T10:00:)" +
           (renewed_s < 10 ? "0" : "") + std::to_string(renewed_s) + R"(.000000Z","leaseTransitions":3}})";
}

// Calls how with the object of a JSON text.
template <class Read>
auto read(const std::string& json, Read how) {
    simdjson::dom::parser parser;
    simdjson::dom::object root;
    EXPECT_EQ(parser.parse(json).get(root), simdjson::SUCCESS) << json;
    return how(root);
}

}  // namespace gputide::testing
