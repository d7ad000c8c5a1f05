// The projected service-account token, a file that the kubelet replaces at run time.  The file is read for each request; its
// content is not kept.  The identity provider checks claims and signature.
#pragma once

#include "auth/machine/surroundings.hpp"

#include <string>

namespace gputide::auth {

// Texts about the file's origin, for messages.
struct token_file_words {
    const char* variable = "AZURE_FEDERATED_TOKEN_FILE";
    const char* mount_advice = "Is the pod labeled azure.workload.identity/use: \"true\" and the volume mounted?";
};

// Returns the trimmed content, three base64url parts joined by dots.  Errors are class config with the path: a missing,
// unreadable or empty file (retryable: the mount or a rotation may be in progress), a file above 64 KiB, or another format.
result<secret_text> read_token_file(const surroundings& host, const std::string& path,
                                    const token_file_words& words = {});

}  // namespace gputide::auth
