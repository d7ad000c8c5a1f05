// The address of --listen as a socket.
#pragma once

#include <memory>
#include <netdb.h>
#include <string>

namespace gputided {

// Where requests may come from: other machines, this machine, or processes that may open the socket's file.
enum class origin { network, loopback, unix_socket };

using found_addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

// Resolves "HOST:PORT" or "[::1]:9105".  Throws usage_error that names --listen.
found_addresses resolve_listen(const std::string& address);

origin origin_of(const addrinfo& address);

// Returns the path of "unix:/run/gputided.sock"; "" for any other address.
std::string socket_path(const std::string& address);

// Listens on a Unix socket with mode 0600.  A socket that no process listens on any more is replaced.  Throws usage_error.
int listen_unix(const std::string& path);

}  // namespace gputided
