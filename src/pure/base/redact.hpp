// Removes secrets from texts that leave the library: known values in each encoding that a peer may use, character sequences
// that look like tokens, and private keys in PEM form.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gputide {

// Replaces by "***": each of `secrets` of 4 bytes or more, plain, percent-encoded (either letter case, '+' for a blank) or
// with JSON escapes; each sequence of base64url characters and dots that starts with "eyJ"; private keys, from the first dash
// to the last.  Control characters except LF and TAB become blanks.
std::string redact(std::string_view text, const std::vector<std::string_view>& secrets = {});

// Returns a URL for a message: user information and query values that look secret are replaced by "***".
std::string redact_url(std::string_view url);

}  // namespace gputide
