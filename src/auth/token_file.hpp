// The projected service-account token, as a file that the kubelet replaces while we run.
// Opened, read and closed for each request; nothing of it is kept.  Claims and signature are the identity provider's to check.
#pragma once

#include "auth/surroundings.hpp"

#include <string>

namespace gputide::auth {

// The trimmed content, three base64url parts joined by dots.  Class config with the path in the text: missing, unreadable
// or empty (retryable: the mount or a rotation may be under way), larger than 64 KiB, or another shape.
result<secret_text> read_token_file(const surroundings& host, const std::string& path);

}  // namespace gputide::auth
