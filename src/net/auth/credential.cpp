// Implements credential.hpp.
#include "auth/credential.hpp"

#include <utility>

namespace gputide::auth {

std::shared_ptr<http::exchange> credential::acquire(http::loop& loop, const std::string& scope,
                                                    std::int64_t deadline_ms, token_done done) {
    auto out = std::make_shared<acquisition>(loop, deadline_ms, std::move(done));
    begin(out, scope);
    return out;
}

namespace {

class credential_of_parts final : public credential {
  public:
    explicit credential_of_parts(credential_parts parts) : parts_(std::move(parts)) {}

    std::string cache_key() const override { return parts_.cache_key; }
    introduction about() const override { return parts_.about; }
    std::int64_t failure_memory_ms() const override { return parts_.failure_memory_ms; }
    void begin(const std::shared_ptr<acquisition>& under_way, const std::string& scope) override {
        parts_.begin(under_way, scope);
    }

  private:
    const credential_parts parts_;
};

}  // namespace

std::shared_ptr<credential> make_credential(credential_parts parts) {
    return std::make_shared<credential_of_parts>(std::move(parts));
}

void acquire_by(credential& other, const std::shared_ptr<acquisition>& under_way, const std::string& scope,
                token_done done) {
    under_way->carry(other.acquire(under_way->loop(), scope, under_way->deadline_ms(), std::move(done)));
}

std::shared_ptr<const http::tls_settings> shared_settings(http::tls_settings settings) {
    if (http::same_settings(settings, {})) return nullptr;
    return std::make_shared<const http::tls_settings>(std::move(settings));
}

}  // namespace gputide::auth
