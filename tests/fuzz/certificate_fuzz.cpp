// Arbitrary bytes as a client certificate, as a private key and as the chain that a peer shows: nothing may crash or hang, no
// password is asked for on a terminal, each failure has its reason, and a key that was read signs.
#include "auth/crypto/certificate.hpp"
#include "doctor/reach.hpp"
#include "require.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace auth = gputide::auth;
using gputide::fuzz::one_of;
using gputide::fuzz::require;
using gputide::fuzz::require_reason;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(bytes), size);
    const std::string password = one_of({"", "password"}, size);
    const auto certificate = auth::read_client_certificate(gputide::secret_text(text), gputide::secret_text(password));
    require_reason(certificate);
    if (certificate) require(!certificate->chain().empty() && certificate->thumbprint_sha256().size() == 32);
    const auto key = auth::read_signing_key(text, password);
    require_reason(key);
    if (key && key->is_rsa()) require_reason(key->sign("text", auth::signing::ps256));
    (void)gputide::doctor::read_chain({text, text}, "host.example");
    return 0;
}
