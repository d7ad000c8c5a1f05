// The keys of external and external-push triggers (kedacore/keda pkg/scalers/external_scaler.go).  All metadata, these keys
// included, goes to the external scaler as it is.
#pragma once

#include "auth/authenticator.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "http/exchange.hpp"
#include "http/message.hpp"
#include "manifest/spec.hpp"
#include "source/access/access.hpp"
#include "source/description.hpp"
#include "source/source.hpp"
#include "text/field.hpp"
#include "text/report.hpp"

#include <cstdint>
#include <functional>
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
     .meaning = "the external scaler, which is asked over gRPC"},
    {.names = {"enableTLS"},
     .type = value_type::flag,
     .of_access = true,
     .fallback = "false",
     .meaning = "TLS; `caCert` or `tlsClientCert` alone switches it on as well"},
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
     .range = "PEM, unlocked",
     .meaning = "the client's key"},
    {.names = {"threshold", "targetValue", "value"},
     .range = "other values than numbers belong to the external scaler alone",
     .meaning = "the target of a number that the host brings; what the external scaler names goes before"},
    {.names = {"activationThreshold", "activationTargetValue", "activationValue"},
     .range = "as above",
     .meaning = "of a number that the host brings: above it the workload is active"},
});

// KEDA's contract with an external scaler (kedacore/keda pkg/scalers/externalscaler/externalscaler.proto): what is asked and
// what an answer holds.  Pure.  Unknown fields are passed over, absent ones are 0, false and "", the last of several counts.

struct scaled_object {
    std::string name;
    std::string name_space;
    std::map<std::string, std::string> metadata;
};

struct metric_spec {
    std::string name;
    std::int64_t target_milli = 0;  // as the HPA is given it; 0: none that an HPA takes

    friend bool operator==(const metric_spec&, const metric_spec&) = default;
};

std::string scaled_object_message(const scaled_object& owner);
std::string metrics_message(std::string_view owner, std::string_view metric);  // owner: as above

// Errors: class shape.  Of a target and of a value the float counts where it is above 0, else the integer, as in KEDA.
result<std::vector<metric_spec>> read_specs(std::string_view message);
result<std::vector<double>> read_values(std::string_view message);
result<bool> read_activity(std::string_view message);

// The settings of an external or external-push trigger, as kedacore/keda pkg/scalers/external_scaler.go reads them.

struct settings {
    std::string address;  // as written
    std::string service;  // "https://host:port/externalscaler.ExternalScaler/"
    access::settings access;
    scaled_object owner;
    std::vector<secret_text> secrets;  // what the environment gave to the metadata
    source::target target;             // of a number that the host brings
    std::int32_t index = 0;            // of the trigger
    bool reads_target_stream = false;  // external-push by KEDA's rules since 2.21

    bool is_tls() const { return std::string_view(service).starts_with("https:"); }
};

// `lacking`: an address or TLS settings that cannot be used; the settings are good for the target then.
result<settings> read_settings(const manifest::trigger& trigger, text::report* findings, error* lacking);

// "http://h:6000" of "h:6000", "dns:///h:6000" and "passthrough:///h:6000"; https with is_tls.  gRPC's other schemes are
// refused by name.
result<std::string> base_url(std::string_view address, bool is_tls);

// The outcome of the answers of one poll: a value, a target and an activity.  Pure.

struct read_metric {
    metric_spec spec;
    std::vector<double> values;
};

// Takes the metric with the largest value / target: the HPA, which proposes a size for each metric and takes the
// largest, comes to the same size.  Values of one metric are added up as the HPA does it.  No value: the sample is empty, and its
// activity holds.
//   index   of the trigger: series are named as KEDA names the HPA's metrics, "s0-queue"
fetched outcome_of(const std::vector<read_metric>& metrics, bool is_active, std::int32_t index);

// The metrics and targets that the stream StreamMetricSpec brought: they replace those of GetMetricSpec until a call fails
// (kedacore/keda pkg/scaling/cache/scalers_cache.go UpdateMetricSpecForScaler @v2.21.0).  Pure.
class streamed_specs {
  public:
    // Returns whether they replace what was known: a message without a metric does not.
    bool take(std::vector<metric_spec> specs);
    void forget() { specs_.clear(); }
    std::vector<metric_spec> or_else(std::vector<metric_spec> asked) const {
        return specs_.empty() ? std::move(asked) : specs_;
    }

  private:
    std::vector<metric_spec> specs_;
};

// A stream: an answer of many messages (StreamIsActive, StreamMetricSpec).

// The end of a stream.
struct stream_outcome {
    error why{status::ok};
    http::outgoing sent;  // for redaction
    http::fault fault = http::fault::none;
    bool is_over_time = false;
};

// A stream may be held for so long: a peer that vanished without a word is noticed then at the latest.  Ten minutes to fifteen, so
// that streams that began together do not end together.
std::int64_t longest_stream_ms(double uniform);

// Reads the messages of a stream.
struct stream_reader {
    std::function<result<void>(std::string_view message)> read;
    std::function<void()> on_arrival;  // after the messages that arrived together, if there was one
};

// `request` is limited by longest_ms.  `done` as metric_source::listen().
std::shared_ptr<http::exchange> open_stream(const std::shared_ptr<http::loop>& loop,
                                            const auth::authenticator& authenticator, result<http::request> request,
                                            std::int64_t longest_ms, stream_reader reader,
                                            std::function<void(stream_outcome)> done);

// Types external and external-push: other people's external scalers for KEDA, asked as KEDA asks them.

result<description> describe(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                             manifest::profile profile, text::report* findings);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::external
