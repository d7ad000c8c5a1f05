// Keys that sign requests to AWS, and the JSON in which they travel.
// In the token cache they are one text, the one that AWS' own credential_process prints: a host that asks for a token gets
// what every AWS SDK can read.
#pragma once

#include "auth/token/answer.hpp"
#include "auth/token/token.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::auth {

struct aws_keys {
    std::string access_key_id;
    secret_text secret_access_key;
    secret_text session_token;  // "": of a user, not of a session
};

// {"Version":1,"AccessKeyId":"...","SecretAccessKey":"...","SessionToken":"...","Expiration":"2026-11-21T10:00:00Z"}
secret_text credential_process_text(const aws_keys& keys, std::optional<std::int64_t> expires_at_ms);

// Back again.  Status bug for a text that credential_process_text() did not make.
result<aws_keys> read_credential_process(std::string_view text);

// Keys that do not end by themselves, as a token that is looked up again after an hour.
token lasting_token(const aws_keys& keys, const moment& now);

// The answer of a container's or an instance's credential endpoint ({"AccessKeyId", "SecretAccessKey", "Token",
// "Expiration"}), or of STS ({"AssumeRole...Response": {"AssumeRole...Result": {"Credentials": {...}}}}).
// Class protocol where that is not there.  Never quotes the body.
result<token> read_aws_answer(const http::response& response, const moment& sent, const std::string& endpoint);

}  // namespace gputide::auth
