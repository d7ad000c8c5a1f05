// The projected service-account token, as a file that the kubelet replaces while we run.
// Opened, read and closed for each request; nothing of it is kept.  Claims and signature are the identity provider's to check.
#pragma once

#include "auth/machine/surroundings.hpp"

#include <string>

namespace gputide::auth {

// Whose file it is, for messages.
struct token_file_words {
    const char* variable = "AZURE_FEDERATED_TOKEN_FILE";
    const char* mount_advice = "Is the pod labelled azure.workload.identity/use: \"true\" and the volume mounted?";
};

// The trimmed content, three base64url parts joined by dots.  Class config with the path in the text: missing, unreadable
// or empty (retryable: the mount or a rotation may be under way), larger than 64 KiB, or another shape.
result<secret_text> read_token_file(const surroundings& host, const std::string& path,
                                    const token_file_words& words = {});

}  // namespace gputide::auth
