// The world of an azure-token case: a clock, an environment, files and a peer that plays the case's exchanges.
// What the library sends is compared on the way, request by request.
#pragma once

#include "auth/machine/surroundings.hpp"
#include "frame/check.hpp"
#include "support/scripted_loop.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace conformance {

class token_world final : public gputide::auth::surroundings {
  public:
    explicit token_world(const json& object);

    std::optional<std::string> environment(const std::string& name) const override;
    gputide::result<gputide::secret_text> read_file(const std::string& path, std::size_t most) const override;
    gputide::result<gputide::secret_text> read_unlinked_file(const std::string& path, std::size_t most) const override;

    void write_file(const std::string& path, const json& content);

    // The wall clock goes there; the monotonic one moves by as much, or by that many seconds.
    void move_to(std::int64_t wall_s, const std::optional<std::int64_t>& elapsed_s);

    gputide::testing::scripted_loop& loop() { return *loop_; }
    std::shared_ptr<gputide::http::loop> shared_loop() { return loop_; }

    std::size_t requests() const;        // sent so far
    std::vector<std::int64_t> delays();  // the wait before request 2, 3, ...
    differences wrong_requests() const;

  private:
    gputide::testing::scripted_answer answer(const gputide::http::request& sent);

    const json exchanges_;
    std::shared_ptr<gputide::testing::scripted_loop> loop_ = std::make_shared<gputide::testing::scripted_loop>();
    std::map<std::string, std::string> variables_;
    mutable std::mutex guard_;  // files and what the peer has seen: requests may come from any thread
    std::map<std::string, std::string> files_;
    std::vector<std::size_t> delays_before_;  // per request: how many waits had been asked for by then
    differences wrong_;
};

// Compares a request with what the case wants to see sent.
void check_request(differences& out, const std::string& place, const json& exchange,
                   const gputide::http::request& sent);

// status and headers with body, body_raw or body_generated; or transport_error.
gputide::testing::scripted_answer answer_of(const json& response);

}  // namespace conformance
