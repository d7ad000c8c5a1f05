// Keeps secrets out of texts that leave the library: exact values in the writings that a peer may echo them in, every run
// that looks like a token, every private key in PEM armour.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gputide {

// Replaces by "***": each of `secrets` of 4 bytes or more, plain, percent-encoded (either letter case, '+' for a blank) or
// with JSON escapes; any run of base64url characters and dots that starts with "eyJ"; private keys, from their first dash to
// the last.  Control characters but LF and TAB become blanks.
std::string redact(std::string_view text, const std::vector<std::string_view>& secrets = {});

// A URL fit for a message: user information and query values that look secret are replaced by "***".
std::string redact_url(std::string_view url);

}  // namespace gputide
