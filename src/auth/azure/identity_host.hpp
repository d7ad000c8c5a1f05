// Which machine this is, as far as managed identities go: who is asked for a token, and how.
// Comes in: environment and settings; goes out: a request.  Pure but for the look at the environment.
#pragma once

#include "auth/machine/surroundings.hpp"
#include "base/result.hpp"
#include "http/message.hpp"

#include <string>

namespace gputide::auth {

// Which of the machine's identities; at most one of the three, none: the system-assigned one.
struct identity_selector {
    std::string client_id;
    std::string object_id;
    std::string resource_id;

    bool empty() const { return client_id.empty() && object_id.empty() && resource_id.empty(); }
};

enum class identity_service { metadata, app_service, app_service_2017, arc, cloud_shell };

struct identity_host {
    identity_service service = identity_service::metadata;
    std::string endpoint;  // without query
    secret_text secret;    // of App Service
};

// From the variables that Azure's hosts set: IDENTITY_ENDPOINT with IDENTITY_HEADER is App Service, with IMDS_ENDPOINT
// Arc, MSI_ENDPOINT with MSI_SECRET App Service of 2017, alone Cloud Shell; nothing of these: the instance metadata
// service.  An endpoint over http anywhere but on loopback or link-local is class config, and so is Service Fabric, whose
// pinned certificate this library cannot check.
result<identity_host> find_identity_host(const surroundings& host);

// The request for `resource` (a scope without "/.default").  Class config where that service has no such selector.
result<http::request> identity_request(const identity_host& host, const identity_selector& selector,
                                       const std::string& resource);

}  // namespace gputide::auth
