// Detects which service of this machine issues tokens for managed identities, and builds the request.  Pure except for reading
// the environment.
#pragma once

#include "auth/credential.hpp"
#include "auth/machine/surroundings.hpp"
#include "base/result.hpp"
#include "http/message.hpp"

#include <memory>
#include <string>

namespace gputide::auth {

// Azure Arc's proof that the caller may read the agent's files: the identity endpoint names a file, and its content authorizes
// the request.  The file's name comes from the network, so it is checked before the file is opened.

// Returns the Authorization header for the second request, from the 401 of the first: `WWW-Authenticate: Basic realm=<path>`.
// The path must be a file *.key directly in /var/opt/azcmagent/tokens, at most 4096 bytes, not a link.  Any other path is class
// security and is not opened; an unreadable file is class config.
result<http::header> answer_arc_challenge(const http::response& challenge, const surroundings& host);

// Selects the identity of the machine.  At most one member may be set; none: the system-assigned identity.
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
    secret_text secret;    // for App Service
};

// Detects the service from Azure's environment variables: IDENTITY_ENDPOINT with IDENTITY_HEADER is App Service, with
// IMDS_ENDPOINT Arc; MSI_ENDPOINT with MSI_SECRET is App Service of 2017, without it Cloud Shell; none of these is the instance
// metadata service.  Class config: an http endpoint that is neither loopback nor link-local, and Service Fabric, because this
// library cannot check its pinned certificate.
result<identity_host> find_identity_host(const surroundings& host);

// Returns the request for `resource` (a scope without "/.default").  Class config if the service does not support the
// selector.
result<http::request> identity_request(const identity_host& host, const identity_selector& selector,
                                       const std::string& resource);

// Tokens of the machine's identity in Azure: virtual machine, App Service, Arc, Cloud Shell.  On AKS this is the node's identity:
// pods use workload_identity.hpp.

struct managed_identity_settings : identity_selector {
    bool in_chain = false;  // in a chain: at most one second to connect, and class unavailable if missing
};

// Opens the credential: reads the environment now.  Never uses a proxy.
result<std::shared_ptr<credential>> open_managed_identity(const managed_identity_settings& settings,
                                                          std::shared_ptr<const surroundings> host);

}  // namespace gputide::auth
