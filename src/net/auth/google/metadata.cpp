// The metadata server, and the order of application default credentials, for open.hpp.
#include "auth/chain.hpp"
#include "auth/google/open.hpp"
#include "auth/machine/local_endpoint.hpp"
#include "auth/token/answer.hpp"
#include "auth/token/error.hpp"
#include "auth/token/exchange.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

#include <utility>
#include <vector>

namespace gputide::auth {
namespace {

constexpr const char* usual_address = "169.254.169.254";  // metadata.google.internal, without DNS
constexpr const char* token_path = "/computeMetadata/v1/instance/service-accounts/default/token";
constexpr const char* flavor = "Metadata-Flavor";

class google_metadata final : public credential, public std::enable_shared_from_this<google_metadata> {
  public:
    explicit google_metadata(const std::string& host) : endpoint_(format_text("http://{}{}", host, token_path)) {}

    std::string cache_key() const override { return "google_metadata\n" + endpoint_; }

    introduction about() const override { return {"metadata server of Google", {}, {}, {}, {}, nullptr}; }

    std::shared_ptr<http::exchange> acquire(http::loop& loop, const std::string& scope, std::int64_t deadline_ms,
                                            token_done done) override {
        auto under_way = std::make_shared<acquisition>(loop, deadline_ms, std::move(done));
        http::request what = local_request(format_text("{}?scopes={}", endpoint_, percent_encode(scope)));
        what.set(flavor, "Google");
        http::retry_rule rule;
        rule.again = [](const http::answer& answer) { return answer.arrived() && http::again_by_status(answer); };
        const auto sent = note_sending(loop, rule);
        under_way->carry(http::send_with_retry(loop, std::move(what), std::move(rule), deadline_ms,
                                               [self = shared_from_this(), under_way, sent](http::retried retried) {
                                                   under_way->finish(
                                                       self->judge(retried, *sent, under_way->loop().wall_ms()));
                                               }));
        return under_way;
    }

  private:
    result<token> judge(http::retried& retried, const moment& sent, std::int64_t wall_ms) const {
        http::response& response = retried.last.response;
        if (!retried.last.arrived()) return unreached(retried.last);
        // A response without it is from another service: a portal, a proxy, another cloud's service at this address.
        const bool google = equal_ignoring_case(response.header(flavor).value_or(""), "Google");
        if (!google) {
            return fail(error_class::unavailable,
                        "there is no metadata server of Google here: {} answered with HTTP {} and without "
                        "the header Metadata-Flavor: Google",
                        endpoint_, response.status);
        }
        if (response.status == 404) {
            return fail(error_class::unavailable, "this machine has no service account ({})", endpoint_);
        }
        if (response.status != 200)
            return judge_token_failure(retried, {endpoint_, "the machine's service account", {}}, wall_ms);
        auto out = read_token_answer(response, sent, endpoint_);
        wipe(response.body);
        return out;
    }

    error unreached(const http::answer& answer) const {
        error why = transport_failure(answer, endpoint_);
        if (why.status != status::unavailable) return why;
        return fail(error_class::unavailable, "there is no metadata server of Google here: {}", why.message);
    }

    const std::string endpoint_;
};

result<std::shared_ptr<credential>> open_key_file(const host_permissions& permissions, const surroundings& host) {
    constexpr const char* variable = "GOOGLE_APPLICATION_CREDENTIALS";
    if (const auto why = absent(host, {variable})) return *why;
    const std::string file = *host.environment(variable);
    const auto content = host.read_file(file, limits::secret_file_bytes);
    if (!content) return fail_for_now(format_text("{} cannot be read: {}", variable, content.failure().message));
    auto out = open_google_key(*content, permissions);
    if (!out) out.failure().message += format_text(" ({})", file);
    return out;
}

}  // namespace

result<std::shared_ptr<credential>> open_google_metadata(const std::shared_ptr<const surroundings>& host) {
    const std::string given = host->environment("GCE_METADATA_HOST").value_or("");
    const std::string address = given.empty() ? usual_address : given;
    const auto url = http::parse_url("http://" + address);
    const bool local = url && (http::is_loopback(url->host) || url->host == usual_address ||
                               url->host == "metadata.google.internal" || url->host == "fd20:ce::254");
    if (!local || !url->path.empty() || url->has_query || url->has_fragment || url->has_user_info) {
        return fail(error_class::config,
                    "GCE_METADATA_HOST: expected 169.254.169.254, metadata.google.internal or a loopback address, with "
                    "a port or without, got {}",
                    gputide::in_quotes(given));
    }
    return std::shared_ptr<credential>(std::make_shared<google_metadata>(address));
}

result<std::shared_ptr<credential>> open_google_default(const host_permissions& permissions,
                                                        const std::shared_ptr<const surroundings>& host) {
    std::vector<chain_member> members;
    members.push_back({"key file", open_key_file(permissions, *host)});
    members.push_back({"metadata server", open_google_metadata(host)});
    return make_chain("gcp", std::move(members));
}

}  // namespace gputide::auth
