// The settings of an external or external-push trigger, as kedacore/keda pkg/scalers/external_scaler.go reads them.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "source/access/settings.hpp"
#include "source/description.hpp"
#include "source/external/messages.hpp"

#include <string>
#include <vector>

namespace gputide::source::external {

struct settings {
    std::string address;  // as written
    std::string service;  // "https://host:port/externalscaler.ExternalScaler/"
    access::settings access;
    scaled_object owner;
    std::vector<secret_text> secrets;  // what the environment gave to the metadata
    source::target target;             // of a number that the host brings
    std::int32_t index = 0;            // of the trigger

    bool is_tls() const { return std::string_view(service).starts_with("https:"); }
};

// `lacking`: an address or TLS settings that nobody can be asked with; the settings are good for the target then.
result<settings> read_settings(const config::trigger& trigger, config::report* findings, error* lacking);

// "http://h:6000" of "h:6000", "dns:///h:6000" and "passthrough:///h:6000"; https with is_tls.  gRPC's other schemes are
// refused by name.
result<std::string> base_url(std::string_view address, bool is_tls);

}  // namespace gputide::source::external
