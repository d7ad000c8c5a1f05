// Identity bindings: a proxy inside the cluster replaces the authority (AZURE_KUBERNETES_TOKEN_PROXY and related
// variables, Azure/azure-sdk-for-go sdk/azidentity/internal/customtokenproxy).  Only if the host program enables it.
#pragma once

#include "auth/machine/surroundings.hpp"
#include "http/message.hpp"

#include <memory>
#include <optional>
#include <string>

namespace gputide::auth {

struct token_proxy {
    std::string url;          // base: scheme, host, port, path; no slash at the end
    std::string server_name;  // SNI and verified name; "": the URL's host
    std::string ca_pem;       // replaces the system's roots; "": ca_file
    std::string ca_file;      // read again for each request; "": the system's roots
};

// Returns nothing if no variable is set.  A wrong combination is class config with the variable's name.
result<std::optional<token_proxy>> read_token_proxy(const surroundings& host);

// Returns the TLS settings of one request; reads the CA file.
result<std::shared_ptr<const http::tls_settings>> tls_of(const token_proxy& proxy, const surroundings& host);

}  // namespace gputide::auth
