// Runs `az account get-access-token` and parses its output, for cli.hpp.
#include "auth/azure/cli.hpp"

#include "auth/azure/authority.hpp"
#include "auth/azure/scopes.hpp"
#include "auth/machine/program.hpp"
#include "auth/token/held.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace gputide::auth {
namespace {

constexpr const char* program = "az";
constexpr std::int64_t limit_ms = 13'000;    // as in Azure's SDK for C++
constexpr std::int64_t unsaid_life_s = 300;  // the CLI always prints the expiry; an old one in local time

error explained(error why) {
    if (why.status == status::not_here) {
        why.message = "the Azure CLI is not here: " + why.message;
    } else if (why.error_class == error_class::signed_out) {
        why.message = "nobody is signed in to the Azure CLI; sign in with az login. " + why.message;
    }
    return why;
}

class azure_cli final : public credential, public std::enable_shared_from_this<azure_cli> {
  public:
    azure_cli(azure_cli_settings settings, std::shared_ptr<const surroundings> host)
        : settings_(std::move(settings)), host_(std::move(host)) {}

    std::string cache_key() const override {
        return format_text("azure_cli\n{}\n{}", lower(settings_.tenant_id), settings_.subscription);
    }

    introduction about() const override { return {"Azure CLI", {}, settings_.tenant_id, {}, {}, nullptr}; }

    std::shared_ptr<http::exchange> acquire(http::loop& on, const std::string& scope, std::int64_t deadline_ms,
                                            token_done done) override {
        auto under_way = std::make_shared<acquisition>(on, deadline_ms, std::move(done));
        const auto checked = scope_of_resource(scope);
        if (!checked || checked->front() == '-') {
            under_way->finish_soon(checked ? fail(error_class::config, "the scope must not begin with a dash")
                                           : checked.failure());
            return under_way;
        }
        std::vector<std::string> arguments = {program,   "account", "get-access-token", "--output", "json",
                                              "--scope", *checked};
        const auto add = [&arguments](const char* flag, const std::string& value) {
            if (!value.empty()) arguments.insert(arguments.end(), {flag, value});
        };
        add("--tenant", settings_.tenant_id);
        add("--subscription", settings_.subscription);
        under_way->carry(run_program(on, host_, {std::move(arguments), limit_ms, "az login"}, deadline_ms,
                                     [under_way](result<secret_text> printed) {
                                         http::loop& loop = under_way->loop();
                                         if (!printed) return under_way->finish(explained(printed.failure()));
                                         under_way->finish(read_held_token(
                                             *printed, {loop.wall_ms(), loop.steady_ms()},
                                             {"the output of az account get-access-token", unsaid_life_s}));
                                     }));
        return under_way;
    }

  private:
    const azure_cli_settings settings_;
    const std::shared_ptr<const surroundings> host_;
};

// Checks that the CLI cannot take a value for a flag, and that it is harmless in a log.
bool is_plain(std::string_view text) { return text.empty() || (text.front() != '-' && !has_control_character(text)); }

}  // namespace

result<std::shared_ptr<credential>> open_azure_cli(const azure_cli_settings& settings,
                                                   const host_permissions& permissions,
                                                   std::shared_ptr<const surroundings> host) {
    if (const auto allowed = check_program(program, permissions.allowed_programs); !allowed) return allowed.failure();
    if (!settings.tenant_id.empty()) {
        if (const auto tenant = checked_tenant(settings.tenant_id, "tenantId"); !tenant) return tenant.failure();
    }
    if (!is_plain(settings.tenant_id) || !is_plain(settings.subscription)) {
        return fail(error_class::config,
                    "tenantId and subscription must not begin with a dash, nor hold control characters");
    }
    return std::shared_ptr<credential>(std::make_shared<azure_cli>(settings, std::move(host)));
}

}  // namespace gputide::auth
