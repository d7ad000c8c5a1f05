// The kind of machine for managed identities: the service to ask for a token, and the request.
// In: environment and settings; out: a request.  Pure except for reading the environment.
#pragma once

#include "auth/machine/surroundings.hpp"
#include "base/result.hpp"
#include "http/message.hpp"

#include <string>

namespace gputide::auth {

// Azure Arc's proof that the caller may read the agent's files: the identity endpoint names a file, and its content
// authorizes the request.  The name comes from a peer, so it is checked before a file is opened.

// Returns the Authorization header for the second request, from the 401 of the first: `WWW-Authenticate: Basic
// realm=<path>`.  The path must be a file *.key directly in /var/opt/azcmagent/tokens, at most 4096 bytes, not a link.
// Anything else is class security and no file is opened; an unreadable file is class config.
result<http::header> answer_arc_challenge(const http::response& challenge, const surroundings& host);

// The identity of the machine; at most one of the three is set, none: the system-assigned one.
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

// Detects the service from the variables of Azure's hosts: IDENTITY_ENDPOINT with IDENTITY_HEADER is App Service, with
// IMDS_ENDPOINT Arc; MSI_ENDPOINT with MSI_SECRET is App Service of 2017, alone Cloud Shell; without these, the
// instance metadata service.  An http endpoint that is neither loopback nor link-local is class config, and so is
// Service Fabric, as this library cannot check its pinned certificate.
result<identity_host> find_identity_host(const surroundings& host);

// Returns the request for `resource` (a scope without "/.default").  Class config if the service does not support the
// selector.
result<http::request> identity_request(const identity_host& host, const identity_selector& selector,
                                       const std::string& resource);

}  // namespace gputide::auth
