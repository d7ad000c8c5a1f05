// The metadata of a prometheus trigger as typed settings, by KEDA's rules and in KEDA's words
// (kedacore/keda pkg/scalers/prometheus_scaler.go, pkg/scalers/authentication).  No I/O.
// In: one trigger with its authentication resolved; out: settings, or all errors together; warnings go to the report.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "config/parameters.hpp"
#include "config/provider.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "source/presets.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::source::prometheus {

// authModes and what they need.  Values are there where their mode is on; ca also without.
struct access_settings {
    std::vector<std::string> modes;  // as written
    secret_text bearer_token;
    secret_text username;
    secret_text password;
    secret_text custom_header;
    secret_text custom_value;
    secret_text ca;
    secret_text certificate;
    secret_text key;
    secret_text api_key;  // sent by metrics-api alone

    std::string provider;  // of the pod identity; "": none
    std::string cloud;     // of Azure
    std::string azure_resource_url;

    bool has(std::string_view mode) const;
    // Whose identity asks; authModes exclude one.
    config::identity_family family() const {
        return modes.empty() ? config::family_of(provider) : config::identity_family::none;
    }
    bool is_azure() const { return family() == config::identity_family::azure; }
    // Its tokens are for a cloud's own services.
    bool is_cloud() const {
        return family() != config::identity_family::none && family() != config::identity_family::bearer;
    }
};

// What is asked and how the answer is judged: all that a source keeps when it is open.
struct query_settings {
    std::string server_address;
    std::string query;
    std::string name_space;  // namespace= for tenancy
    std::map<std::string, std::string> headers;
    std::map<std::string, std::string> parameters;
    bool unsafe_ssl = false;
    bool post = false;            // gputide.io/http-method: POST for short queries as well
    bool strict = false;          // as KEDA, defects included
    std::int64_t timeout_ms = 0;  // 0: limits::default_http_timeout_ms

    source::target target;
    source::reduction reduction;
    std::int64_t max_age_ms = 0;  // 0: no limit, and no second query
    std::string age_query;        // gives the time of the oldest sample as Unix seconds; set where max_age_ms is

    std::int64_t attempt_timeout_ms() const;
};

// And who asks.
struct settings : query_settings {
    config::authentication identity;  // as auth::open_identity() takes it
    std::string google_key_path;      // of the file that holds the identity's key; "": there is none
    access_settings access;
    const preset* filled_by = nullptr;  // the preset that gave the query
};

// The parts of it that other sources of HTTP metrics take alike: who asks, and headers fit to be sent.
access_settings read_access(config::parameters& from, const config::trigger& trigger);
void check_headers(config::parameters& from, const settings& what);

// `lacking` takes what is wrong with the address and the credential alone, the settings are the rest then; null: that fails
// the reading as all else does.
result<settings> read_settings(const config::trigger& from, const config::trigger_rules& rules, config::profile as,
                               config::report* findings, error* lacking = nullptr);

}  // namespace gputide::source::prometheus
