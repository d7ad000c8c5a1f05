// Keys that sign requests to AWS, and their JSON form.
// The token cache stores them as one text, in the format of AWS' credential_process: a host that reads the token gets
// what every AWS SDK can parse.
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
    secret_text session_token;  // "": keys of a user, not of a session
};

// Serializes to
// {"Version":1,"AccessKeyId":"...","SecretAccessKey":"...","SessionToken":"...","Expiration":"2026-11-21T10:00:00Z"}.
secret_text credential_process_text(const aws_keys& keys, std::optional<std::int64_t> expires_at_ms);

// Parses the text of credential_process_text().  Status bug for any other text.
result<aws_keys> read_credential_process(std::string_view text);

// Returns keys without an expiry as a token that is fetched again after an hour.
token lasting_token(const aws_keys& keys, const moment& now);

// Parses the response of a container's or an instance's credential endpoint ({"AccessKeyId", "SecretAccessKey",
// "Token", "Expiration"}), or of STS ({"AssumeRole...Response": {"AssumeRole...Result": {"Credentials": {...}}}}).
// Class protocol if these members are missing.  Never quotes the body.
result<token> read_aws_answer(const http::response& response, const moment& sent, const std::string& endpoint);

}  // namespace gputide::auth
