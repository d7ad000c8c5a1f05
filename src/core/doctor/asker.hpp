// Sends the requests of a diagnosis over the shared client and blocks, with one deadline and one cancel flag.  Contains all I/O
// of this module.
#pragma once

#include "auth/credential.hpp"
#include "auth/token/cache.hpp"
#include "doctor/judge.hpp"
#include "http/client.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace gputide::doctor {

class asker {
  public:
    asker(std::shared_ptr<http::client> client, std::int64_t deadline_ms, const http::cancel_flag* cancel)
        : on_(std::move(client)), deadline_ms_(deadline_ms), cancel_(cancel) {}

    http::answer send(http::request request) const;  // once, without retries
    result<auth::token> token(auth::token_cache& token_cache, const std::shared_ptr<auth::credential>& who,
                              const std::string& scope) const;
    source::fetched fetch(source::metric_source& metric_source, std::int64_t now_ms) const;  // with every series

    // Connects to the host of `url` without credentials, with the trigger's trust settings.  If the certificate is rejected,
    // connects again without verification, to find the reason; nothing is sent then either.
    reach look_at(const std::string& url, const std::shared_ptr<const http::tls_settings>& tls,
                  bool is_http2 = false) const;

    void pause(std::int64_t ms) const;
    std::int64_t wall_ms() const { return on_->wall_ms(); }
    std::int64_t steady_ms() const { return on_->steady_ms(); }
    std::int64_t left_ms() const { return deadline_ms_ - on_->steady_ms(); }
    bool cancelled() const { return cancel_ != nullptr && cancel_->fired(); }

  private:
    std::shared_ptr<http::client> on_;
    std::int64_t deadline_ms_;  // on the steady clock
    const http::cancel_flag* cancel_;
};

}  // namespace gputide::doctor
