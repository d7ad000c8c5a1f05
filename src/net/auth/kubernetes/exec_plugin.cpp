// Runs the program of exec_plugin.hpp and parses its output.
#include "auth/kubernetes/exec_plugin.hpp"

#include "auth/crypto/digest.hpp"
#include "auth/json_text.hpp"
#include "auth/kubernetes/mounted_token.hpp"
#include "auth/machine/program.hpp"
#include "auth/token/answer.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "http/client_certificate.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace gputide::auth {
namespace {

constexpr std::int64_t limit_ms = 30'000;
constexpr std::int64_t failure_kept_ms = 5'000;
constexpr std::size_t most_hint_bytes = 500;

error_ptr unusable(const exec_plugin& plugin, std::string_view why) {
    return fail(error_class::protocol, "the output of {} ({}) {}", plugin.command.front(), plugin.named, why);
}

// Returns the expiry as Unix seconds; nothing if there is none: then it is used until a 401, as in client-go.
result<std::optional<std::int64_t>> end_s(json_element status, const exec_plugin& plugin) {
    const auto written = member(status, "expirationTimestamp");
    if (!written || written->is_null()) return std::optional<std::int64_t>();
    const auto time_ms = parse_rfc3339(text_member(status, "expirationTimestamp").value_or(""));
    if (!time_ms)
        return unusable(plugin, "has a status.expirationTimestamp that is no time such as 2026-01-31T12:00:00Z");
    return std::optional<std::int64_t>(*time_ms / 1000);
}

result<std::shared_ptr<const http::tls_settings>> tls_with_certificate(json_element status, const exec_plugin& plugin) {
    const auto certificate = text_member(status, "clientCertificateData").value_or("");
    const auto key = text_member(status, "clientKeyData").value_or("");
    if (certificate.empty() && key.empty()) return std::shared_ptr<const http::tls_settings>();
    if (certificate.empty() || key.empty()) {
        return unusable(plugin, "has only one of status.clientCertificateData and status.clientKeyData");
    }
    http::tls_settings out = *plugin.tls;
    out.client_certificate_pem = secret_text(certificate);
    out.client_key_pem = secret_text(key);
    if (const auto fits = http::check_client_certificate(out); !fits) {
        return unusable(plugin, "cannot be used: " + fits.failure().message);
    }
    return std::make_shared<const http::tls_settings>(std::move(out));
}

class exec_credential final : public credential, public std::enable_shared_from_this<exec_credential> {
  public:
    exec_credential(exec_plugin plugin, std::shared_ptr<const surroundings> host)
        : plugin_(std::move(plugin)), host_(std::move(host)), key_(key_of(plugin_)) {}

    std::string cache_key() const override { return key_; }

    introduction about() const override { return {"exec plugin " + plugin_.command.front(), {}, {}, {}, {}, nullptr}; }

    std::int64_t failure_memory_ms() const override { return failure_kept_ms; }

    std::shared_ptr<http::exchange> acquire(http::loop& on, const std::string&, std::int64_t deadline_ms,
                                            token_done done) override {
        auto under_way = std::make_shared<acquisition>(on, deadline_ms, std::move(done));
        under_way->carry(run_program(on, host_, {plugin_.command, limit_ms, {}, plugin_.variables}, deadline_ms,
                                     [under_way, self = shared_from_this()](result<secret_text> printed) {
                                         http::loop& loop = under_way->loop();
                                         if (!printed) return under_way->finish(self->explained(printed.failure()));
                                         under_way->finish(read_exec_credential(*printed, self->plugin_, loop.wall_ms(),
                                                                                loop.steady_ms()));
                                     }));
        return under_way;
    }

  private:
    // A digest: the variables may hold secrets.
    static std::string key_of(const exec_plugin& plugin) {
        std::string text = plugin.api_version;
        const auto add = [&text](std::string_view part) {
            text.append(format_text("\n{}:", part.size())).append(part);
        };
        for (const std::string& word : plugin.command) add(word);
        for (const secret_text& variable : plugin.variables) add(variable.reveal());
        const http::tls_settings& tls = *plugin.tls;
        for (const std::string* part : {&tls.ca_pem, &tls.ca_file, &tls.server_name, &tls.proxy, &tls.user_agent}) {
            add(*part);
        }
        text += tls.verify ? "" : "\nunverified";
        std::string out = "exec_plugin\n" + base64url(sha256(text));
        wipe(text);
        return out;
    }

    error explained(error why) const {
        why.message = format_text("the exec plugin of {}: {}", plugin_.named, why.message);
        const bool missing = why.status == status::not_here;
        if (missing && !plugin_.install_hint.empty()) {
            why.message += "; its kubeconfig says: " + std::string(cut_utf8(plugin_.install_hint, most_hint_bytes));
        }
        return why;
    }

    const exec_plugin plugin_;
    const std::shared_ptr<const surroundings> host_;
    const std::string key_;
};

}  // namespace

result<token> read_exec_credential(const secret_text& printed, const exec_plugin& plugin, std::int64_t wall_ms,
                                   std::int64_t steady_ms) {
    const json_text parsed(printed.reveal());
    const auto object = parsed.object();
    if (!object) return unusable(plugin, "is no JSON object; expected an ExecCredential");
    if (text_member(*object, "kind").value_or("") != "ExecCredential") {
        return unusable(plugin, "has another kind than ExecCredential");
    }
    if (text_member(*object, "apiVersion").value_or("") != plugin.api_version) {
        return unusable(plugin, format_text("has another apiVersion than the kubeconfig's exec, {}; let one of the two "
                                            "follow the other",
                                            plugin.api_version));
    }
    const auto status = object_member(*object, "status");
    if (!status) return unusable(plugin, "has no status");
    auto tls = tls_with_certificate(*status, plugin);
    if (!tls) return tls.take_failure();
    const auto value = text_member(*status, "token").value_or("");
    if (value.empty() && !*tls) return unusable(plugin, "has neither status.token nor status.clientCertificateData");
    if (!value.empty() && !is_token_text(value)) {
        error why = unusable(plugin, "has a status.token with blanks or control characters; it was not used");
        return fail(error_class::security, why.message);
    }
    const auto end = end_s(*status, plugin);
    if (!end) return end.failure();
    const std::int64_t life_s = *end ? **end - wall_ms / 1000 : longest_life_s;
    if (life_s <= 0) {
        return fail_for_now(
            format_text("what {} ({}) gave has expired {} ago: it does not renew it, or the clock of "
                        "this machine is wrong",
                        plugin.command.front(), plugin.named, format_duration_ms(-life_s * 1000)));
    }
    token out = token_living(secret_text(value), {wall_ms, steady_ms}, std::min(life_s, longest_life_s));
    out.tls = *std::move(tls);
    return out;
}

std::shared_ptr<credential> open_exec_plugin(exec_plugin plugin, std::shared_ptr<const surroundings> host) {
    return std::make_shared<exec_credential>(std::move(plugin), std::move(host));
}

}  // namespace gputide::auth
