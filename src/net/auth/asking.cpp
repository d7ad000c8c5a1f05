// The steps of an authenticated exchange, and the final redaction of its error.
#include "auth/authenticator.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/redact.hpp"
#include "base/stable_order.hpp"
#include "base/text.hpp"

#include <string>
#include <vector>

namespace gputide::auth {
namespace {

constexpr std::int64_t repeat_after_ms = 100;
constexpr std::int64_t longest_pause_ms = 5'000;  // a longer wait is left to the next poll

// Tells whether the server canceled a query as too expensive: a repetition would cost the same.
bool too_heavy(const http::response& response) {
    return response.status == 503 && response.body.find("\"timeout\"") != std::string::npos;
}

bool worth_repeating(const http::answer& answer) {
    if (answer.fault == http::fault::timeout || answer.fault == http::fault::deadline) return false;
    return http::again_by_status(answer) && !too_heavy(answer.response);
}

// Gets a token, sends the request, and repeats it once with another token if the first was rejected.
class asking final : public http::operation<result<exchanged>> {
  public:
    asking(const std::shared_ptr<http::loop>& loop, auth::authenticator authenticator, http::retry_rule again,
           std::int64_t deadline_ms, callback<void(result<exchanged>)> done)
        : operation(*loop, deadline_ms, std::move(done)),
          authenticator_(std::move(authenticator)),
          again_(std::move(again)) {}

    void start(result<http::request> request) {
        if (!request) return finish_soon(request.take_failure());
        prepared_ = *std::move(request);
        get_token();
    }

  private:
    std::shared_ptr<asking> self() { return std::static_pointer_cast<asking>(shared_from_this()); }

    void get_token() {
        if (!authenticator_.needs_token()) return send(prepared_);
        carry(authenticator_.authorize(prepared_, deadline_ms(), [self = self()](result<http::request> ready) {
            if (!ready) return self->finish(ready.take_failure());
            self->send(*std::move(ready));
        }));
    }

    void send(http::outgoing ready) {
        sent_ = std::move(ready);
        carry(http::send_with_retry(loop(), sent_, again_, deadline_ms(),
                                    [self = self()](http::retried retried) { self->take(std::move(retried)); }));
    }

    void take(http::retried retried) {
        const bool renew = authenticator_.needs_token() && !renewed_ && retried.last.arrived() &&
                           authenticator_.refused(sent_, retried.last.response);
        if (renew) {
            renewed_ = true;
            return get_token();
        }
        finish(exchanged{std::move(sent_), std::move(retried.last), retried.retry_at_ms});
    }

    const auth::authenticator authenticator_;
    const http::retry_rule again_;
    http::outgoing prepared_;
    http::outgoing sent_;
    bool renewed_ = false;
};

// Returns scheme, host, port and path.
std::string shown_address(std::string_view url) { return redact_url(url.substr(0, url.find_first_of("?#"))); }

// Returns the values that a server could echo: header values, and the second word of "Bearer x" and "Basic x".
std::vector<std::string_view> secrets_of(const http::request& sent) {
    std::vector<std::string_view> out;
    for (const http::header& header : sent.headers) {
        if (equal_ignoring_case(header.name, "content-type") || equal_ignoring_case(header.name, "accept")) continue;
        const std::string_view value = header.value.reveal();
        out.push_back(value);
        const std::size_t blank = value.find(' ');
        if (blank != std::string_view::npos) out.push_back(value.substr(blank + 1));
    }
    // Longest first: replacing a shorter secret inside a longer one would leave the rest.
    sort_stably(out, [](std::string_view a, std::string_view b) { return a.size() > b.size(); });
    return out;
}

// Returns the password inside "Basic <base64 of user:password>".
secret_text basic_password(const http::request& sent) {
    const http::header* header = sent.find("Authorization");
    if (header == nullptr || !starts_with_ignoring_case(header->value.reveal(), "Basic ")) return {};
    auto pair = decode_base64(header->value.reveal().substr(6));
    if (!pair) return {};
    const std::size_t colon = pair->find(':');
    secret_text out(colon == std::string::npos ? std::string_view() : std::string_view(*pair).substr(colon + 1));
    wipe(*pair);
    return out;
}

std::int64_t asked_retry_at(const error& error, std::int64_t wall_ms) {
    return error.retry_after_ms != 0 ? wall_ms + error.retry_after_ms : error.retry_at_ms;
}

}  // namespace

http::retry_rule one_safe_repeat() {
    http::retry_rule out;
    out.max_retries = 1;
    out.base_ms = repeat_after_ms;
    out.cap_ms = longest_pause_ms;
    out.again = &worth_repeating;
    return out;
}

std::shared_ptr<http::exchange> send_authenticated(const std::shared_ptr<http::loop>& loop,
                                                   const auth::authenticator& authenticator,
                                                   result<http::request> request, std::int64_t deadline_ms,
                                                   callback<void(result<exchanged>)> done, http::retry_rule again) {
    auto out = std::make_shared<asking>(loop, authenticator, std::move(again), deadline_ms, std::move(done));
    out->start(std::move(request));
    return out;
}

error outward_error(error error, std::string_view asker, const http::request& sent, std::int64_t wall_ms,
                    std::int64_t retry_at_ms) {
    const secret_text password = basic_password(sent);
    std::vector<std::string_view> secrets = secrets_of(sent);
    if (!password.empty()) secrets.push_back(password.reveal());
    error.retry_at_ms = retry_at_ms != 0 ? retry_at_ms : asked_retry_at(error, wall_ms);
    if (error.where.empty()) error.where = named(std::string(asker));
    if (!sent.url.empty()) error.message = format_text("{}: {}", shown_address(sent.url), error.message);
    error.message = redact(error.message, secrets);
    error.service_code = redact(error.service_code, secrets);
    for (auto& field : error.fields) field.second = redact(field.second, secrets);
    return error;
}

}  // namespace gputide::auth
