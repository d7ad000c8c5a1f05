// One fetch under way: the value's query and, where a maximum age is set, the age query beside it, joined into one outcome.
#pragma once

#include "auth/authenticator.hpp"
#include "http/retry.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace gputide::source::prometheus {

struct fetch_plan {
    result<http::request> value = http::request();
    std::optional<result<http::request>> age;  // answers with Unix seconds
    std::int64_t max_age_ms = 0;
    std::int64_t now_ms = 0;
    std::string label;  // of the trigger
    std::function<fetched(const http::answer&)> judge;
    std::function<result<numbers>(const http::answer&)> read_age;
};

// `done` runs once on the loop, never inside this call; not after cancel().
std::shared_ptr<http::exchange> run_fetch(std::shared_ptr<http::loop> on, const auth::authenticator& by,
                                          fetch_plan plan, std::int64_t deadline_ms, std::function<void(fetched)> done);

// The value with the time of its oldest sample (`age`, Unix seconds), or stale where that is too old or not known.
// A value made of nothing (null_as_zero) has no age and stays as it is.
fetched aged(fetched value, const result<numbers>& age, std::int64_t now_ms, std::int64_t max_age_ms);

}  // namespace gputide::source::prometheus
