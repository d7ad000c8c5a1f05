// Arbitrary bytes as what hands out tokens answers: Entra, STS, a metadata service, Azure Arc, a program, a file; and as a token
// whose claims are read.  Nothing may crash or hang; each failure has its reason; a secret that a peer echoes stays out of it.
#include "auth/aws/keys.hpp"
#include "auth/azure/identity_host.hpp"
#include "auth/token/answer.hpp"
#include "auth/token/claims.hpp"
#include "auth/token/error.hpp"
#include "require.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace auth = gputide::auth;
using gputide::fuzz::one_of;
using gputide::fuzz::require;
using gputide::fuzz::require_reason;

namespace {

constexpr auth::moment now{1'795'255'200'000, 1'000'000};
constexpr char asked_secret[] = "the-client's-own-secret";

class no_files final : public auth::surroundings {
  public:
    std::optional<std::string> environment(const std::string&) const override { return std::nullopt; }
    gputide::result<gputide::secret_text> read_file(const std::string& path, std::size_t) const override {
        return gputide::fail(gputide::error_class::config, path);
    }
    gputide::result<gputide::secret_text> read_unlinked_file(const std::string& path, std::size_t) const override {
        // What a peer may name: a file of the agent's own, and nothing above it.
        require(path.starts_with("/var/opt/azcmagent/tokens/") && path.find("..") == std::string::npos);
        return gputide::secret_text(std::string("key"));
    }
};

void require_life(const gputide::result<auth::token>& read) {
    require_reason(read);
    if (!read) return;
    require(!read->value.reveal().empty() && !auth::has_control_character(read->value.reveal()));
}

void read_failure(const gputide::http::answer& answer) {
    const auth::token_context about{"https://h/token", "client c", {gputide::secret_text(std::string(asked_secret))}};
    const gputide::error why = auth::judge_token_failure({answer, 1, 0, false}, about, now.wall_ms);
    require_reason(why);
    require(why.message.find(asked_secret) == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(bytes), size);
    gputide::http::answer answer;
    answer.response.body = text;
    answer.response.status = 200;
    require_life(auth::read_token_answer(answer.response, now, "https://h/token"));
    require_life(auth::read_aws_answer(answer.response, now, "https://sts"));
    require_life(auth::read_held_token(gputide::secret_text(text), now, {"the output of az", 300}));
    answer.response.status = one_of({302, 400, 401, 429, 503}, size);
    read_failure(answer);
    answer.response.body += asked_secret;
    read_failure(answer);

    answer.response.status = 401;
    answer.response.headers = {{"WWW-Authenticate", text}};
    (void)auth::answer_arc_challenge(answer.response, no_files());

    const auto claims = auth::read_claims(text);
    require_reason(claims);
    if (claims) (void)auth::list_claims(*claims);
    (void)auth::read_credential_process(text);
    return 0;
}
