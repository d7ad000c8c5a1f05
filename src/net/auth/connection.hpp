// The host program's settings for every connection: its root certificates, proxy and user agent.
#pragma once

#include "auth/credential.hpp"
#include "http/message.hpp"

namespace gputide::auth {

inline http::tls_settings connection_of(const host_permissions& permissions) {
    http::tls_settings out;
    out.ca_pem = permissions.ca_pem;
    if (out.ca_pem.empty()) out.ca_file = permissions.ca_file;
    out.proxy = permissions.proxy;
    out.user_agent = permissions.user_agent;
    return out;
}

// Tells whether all settings are defaults, so that a request needs no settings of its own.
inline bool is_usual(const http::tls_settings& settings) {
    return settings.ca_pem.empty() && settings.ca_file.empty() && settings.client_certificate_pem.empty() &&
           settings.verify && settings.server_name.empty() && settings.connect_to.empty() && settings.proxy.empty() &&
           settings.user_agent.empty();
}

}  // namespace gputide::auth
