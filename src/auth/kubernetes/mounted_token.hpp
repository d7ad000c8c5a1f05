// A bearer token that somebody else keeps in a file and replaces before it expires: a pod's service-account token.
#pragma once

#include "auth/credential.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace gputide::auth {

// What the file holds now, trimmed.  Missing, empty or no token at all: class config, retryable where it may pass.
result<secret_text> read_mounted_token(const surroundings& host, const std::string& path);

// Whether a text can be a token in an Authorization header: one word of printable ASCII.
bool is_token_text(std::string_view text);

// The token is read anew by the first request of each second and after a refusal (401); where reading fails, the last one goes on,
// as client-go's does, which reads each minute (kubernetes/client-go transport/token_source.go).  The scope has no meaning here.
std::shared_ptr<credential> open_mounted_token(std::string path, std::shared_ptr<const surroundings> host);

}  // namespace gputide::auth
