// The trigger types external and external-push (kedacore/keda pkg/scalers/external_scaler.go): keys, messages, settings, result.
// All metadata, including these keys, is passed unchanged to the external scaler.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "http/message.hpp"
#include "source/access/access.hpp"
#include "source/description.hpp"
#include "source/source.hpp"
#include "source/target.hpp"
#include "text/field.hpp"
#include "text/report.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::source::external {

using text::origin;
using text::value_type;

inline constexpr auto keys = text::fields({
    {.names = {"scalerAddress"},
     .required = true,
     .of_access = true,
     .range = "`host:port`, `dns:///host:port`; without a port 443",
     .meaning = "the external scaler (gRPC)"},
    {.names = {"enableTLS"},
     .type = value_type::flag,
     .of_access = true,
     .fallback = "false",
     .meaning = "enables TLS; `caCert` or `tlsClientCert` enables it too"},
    {.names = {"unsafeSsl"},
     .type = value_type::flag,
     .of_access = true,
     .fallback = "false",
     .meaning = "with TLS: do not verify the server's certificate"},
    {.names = {"caCert"},
     .places = {origin::auth},
     .type = value_type::secret,
     .of_access = true,
     .range = "PEM",
     .meaning = "the CA of its certificate, instead of the system's"},
    {.names = {"tlsClientCert"},
     .places = {origin::auth},
     .type = value_type::secret,
     .of_access = true,
     .range = "PEM",
     .meaning = "the client's certificate"},
    {.names = {"tlsClientKey"},
     .places = {origin::auth},
     .type = value_type::secret,
     .of_access = true,
     .range = "PEM, not encrypted",
     .meaning = "the client's key"},
    {.names = "threshold targetValue value",
     .range = "values that are not numbers are only passed on to the external scaler",
     .meaning = "target for a value that the host pushes; a target of the external scaler takes precedence"},
    {.names = "activationThreshold activationTargetValue activationValue",
     .range = "as above",
     .meaning = "for a value that the host pushes: above it the workload is active"},
});

// The messages of KEDA's external scaler API (kedacore/keda pkg/scalers/externalscaler/externalscaler.proto).  Pure.  Unknown
// fields are ignored, missing ones are 0, false and "", and of a repeated field the last value is used.

struct scaled_object {
    std::string name;
    std::string name_space;
    std::map<std::string, std::string> metadata;
};

struct metric_spec {
    std::string name;
    std::int64_t target_milli = 0;  // as the HPA receives it; 0: not a valid target of an HPA

    friend bool operator==(const metric_spec&, const metric_spec&) = default;
};

std::string scaled_object_message(const scaled_object& owner);
std::string metrics_message(std::string_view owner, std::string_view metric);  // owner: a scaled_object_message()

// Parse responses.  Errors: class shape.  As in KEDA, the float of a target or value is used if it is above 0, otherwise the
// integer.
result<std::vector<metric_spec>> read_specs(std::string_view message);
result<std::vector<double>> read_values(std::string_view message);
result<bool> read_activity(std::string_view message);

// Settings of an external or external-push trigger, parsed like kedacore/keda pkg/scalers/external_scaler.go.

struct settings : common_settings {
    std::string address;  // as written
    std::string service;  // "https://host:port/externalscaler.ExternalScaler/"
    access::settings access;
    scaled_object owner;
    std::vector<secret_text> secrets;  // values in the metadata that came from the environment
    std::int32_t index = 0;            // position of the trigger
    bool reads_target_stream = false;  // an external-push trigger with KEDA's rules since 2.21

    bool is_tls() const { return std::string_view(service).starts_with("https:"); }
};

// Reads the settings.  An unusable address or TLS setting goes to `lacking`; the target can be used then.
result<settings> read_settings(trigger_reader& read);

// Returns "http://h:6000" for "h:6000", "dns:///h:6000" and "passthrough:///h:6000"; https with is_tls.  Other schemes of gRPC
// are an error that names them.
result<std::string> base_url(std::string_view address, bool is_tls);

// Combines the responses of one poll: value, target and activity.  Pure.

struct read_metric {
    metric_spec spec;
    std::vector<double> values;
};

// Selects the metric with the largest value / target: it gives the same size as the HPA, which computes a size for each metric
// and takes the largest.  Values of one metric are added, as in the HPA.  Without a value the sample is empty and keeps its
// activity.
// `index` is the trigger's position; series have KEDA's names of HPA metrics, "s0-queue".
fetched outcome_of(const std::vector<read_metric>& metrics, bool is_active, std::int32_t index);

// Metrics and targets from the stream StreamMetricSpec.  They replace those of GetMetricSpec until a call fails (kedacore/keda
// pkg/scaling/cache/scalers_cache.go UpdateMetricSpecForScaling @v2.21.0).  Pure.
class streamed_specs {
  public:
    // Replaces the known specs and returns true, unless `specs` is empty.
    bool take(std::vector<metric_spec> specs) {
        if (specs.empty()) return false;
        specs_ = std::move(specs);
        return true;
    }
    void forget() { specs_.clear(); }
    std::vector<metric_spec> or_else(std::vector<metric_spec> asked) const {
        return specs_.empty() ? std::move(asked) : specs_;
    }

  private:
    std::vector<metric_spec> specs_;
};

// Types external and external-push: external scalers written for KEDA, called as KEDA calls them.

result<description> describe(trigger_reader& read);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::external
