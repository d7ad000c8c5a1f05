// A metric source that asks one question over an authenticated REST API: request, token, answer, judgement, age.
// The sources of Azure and Kubernetes bring the pure parts.
#pragma once

#include "auth/authenticator.hpp"
#include "base/result.hpp"
#include "http/retry.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace gputide::source {

// Asked before the question itself where something must be known first: which version of an API a server has.
struct first_question {
    std::function<bool(std::int64_t steady_ms)> due;
    std::function<result<http::request>()> build;
    std::function<result<void>(const http::answer&, std::int64_t steady_ms)> learn;
};

struct question {
    http::retry_rule retry;
    std::function<result<http::request>(std::int64_t now_ms)> build;
    std::function<result<reading>(const http::answer&)> read;
    std::optional<first_question> first;
    std::int64_t max_age_ms = 0;  // 0: no limit
    std::string age_remedy;       // what to do about a value that is too old
};

// `described` for its metric and question; `key`: what else the answer depends on, such as a server known only now.  Where there
// is no access, its failure comes back.
result<std::shared_ptr<metric_source>> open_question(const description& described, const std::string& key,
                                                     question question, result<auth::authenticator> access,
                                                     std::shared_ptr<http::loop> loop);

}  // namespace gputide::source
