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

// Who understands the answers.
class answer_reader {
  public:
    virtual ~answer_reader() = default;
    virtual const std::string& label() const = 0;  // of the trigger
    virtual fetched judged(const http::answer& answer, detail wanted) const = 0;
    virtual result<numbers> numbers_in(const http::answer& answer) const = 0;  // of the age query
};

struct fetch_plan {
    std::shared_ptr<const answer_reader> reader;
    detail wanted = detail::value;
    std::int64_t max_age_ms = 0;
    std::int64_t now_ms = 0;
};

// On the loop's thread; `done` never runs inside this call, nor after cancel().
// age: empty, or what answers with Unix seconds.
std::shared_ptr<http::exchange> run_fetch(const std::shared_ptr<http::loop>& loop,
                                          const auth::authenticator& authenticator, fetch_plan plan,
                                          result<http::request> value, std::optional<result<http::request>> age,
                                          std::int64_t deadline_ms, std::function<void(fetched)> done);

// The value with the time of its oldest sample (`age`, Unix seconds), or stale where that is too old or not known.
// A value made of nothing (null_as_zero) has no age and stays as it is.
fetched aged(fetched value, const result<numbers>& age, std::int64_t now_ms, std::int64_t max_age_ms);

}  // namespace gputide::source::prometheus
