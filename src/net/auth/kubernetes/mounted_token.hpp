// A bearer token in a file that another process replaces before it expires: a pod's service-account token.
#pragma once

#include "auth/credential.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace gputide::auth {

// Returns the file's current content, trimmed.  Missing, empty or not a token: class config, retryable if it may pass.
result<secret_text> read_mounted_token(const surroundings& host, const std::string& path);

// Tells whether a text can be a token in an Authorization header: one word of printable ASCII.
bool is_token_text(std::string_view text);

// The first request of each second and the first after a refusal (401) read the token again.  If reading fails, the
// last token is used, as in client-go, which reads each minute (kubernetes/client-go transport/token_source.go).  The
// scope is ignored.
std::shared_ptr<credential> open_mounted_token(std::string path, std::shared_ptr<const surroundings> host);

}  // namespace gputide::auth
