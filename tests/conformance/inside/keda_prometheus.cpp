// keda-prometheus, kind prom_parse: triggers that a manifest could not hold as they stand, such as one with an identity and no
// TriggerAuthentication.  In the strict profile.
#include "frame/check.hpp"
#include "inside/keda_version.hpp"
#include "source/prometheus/settings.hpp"

namespace conformance::keda_prometheus {
namespace {

namespace config = gputide::config;
namespace source = gputide::source;

config::trigger trigger_of(const json& one) {
    config::trigger out;
    out.type = "prometheus";
    out.metadata = one.value("metadata", std::map<std::string, std::string>());
    for (const auto& [name, value] : one.value("authParams", std::map<std::string, std::string>())) {
        out.auth.parameters.emplace(name, gputide::secret_text(value));
    }
    out.auth.provider = one.value("podIdentityProvider", "");
    return out;
}

// An error where one is expected and only there; true where both sides have a value to compare.
template <class T>
bool outcome_fits(differences& out, bool expect_ok, const gputide::result<T>& got) {
    if (expect_ok == got.ok()) return got.ok();
    out.push_back(expect_ok ? "expected success, got the error: " + got.failure().message
                            : std::string("expected an error, got success"));
    return false;
}

json settings_json(const source::prometheus::settings& settings) {
    return {{"threshold", settings.target.threshold},
            {"activationThreshold", settings.target.activation_threshold},
            {"ignoreNullValues", settings.reduction.ignore_null},
            {"unsafeSsl", settings.unsafe_ssl},
            {"timeoutMs", settings.timeout_ms},
            {"namespace", settings.name_space},
            {"customHeaders", settings.headers},
            {"queryParameters", settings.parameters},
            {"serverAddress", settings.server_address},
            {"query", settings.query},
            {"authModes", settings.access.modes}};
}

differences check_parse(const json& one, const json&) {
    config::trigger_rules rules;
    rules.versions = keda_versions_of(one);
    const auto got =
        source::prometheus::read_settings(trigger_of(one), rules, config::profile::strict, nullptr, nullptr);
    differences out;
    const json expect = expected_of(one);
    if (outcome_fits(out, expect.at("ok").get<bool>(), got)) {
        expect_equal(out, "parsed", expect.value("parsed", json::object()), settings_json(*got), {.subset = true});
    } else if (!got && expect.contains("error_contains")) {
        // KEDA's own words are optional; ours hold the part that the file names all the same.
        expect_contains(out, "error", expect.at("error_contains").get<std::string>(), got.failure().message);
    }
    return out;
}

const registration parsing{"keda-prometheus", {"prom_parse"}, &check_parse};

}  // namespace
}  // namespace conformance::keda_prometheus
