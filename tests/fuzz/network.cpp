// Credentials, the Kubernetes API, bodies and streams.
#include "auth/aws/aws.hpp"
#include "auth/azure/credentials.hpp"
#include "auth/crypto/signing_key.hpp"
#include "auth/kubernetes/cluster.hpp"
#include "auth/token/claims.hpp"
#include "auth/token/exchange.hpp"
#include "doctor/judge.hpp"
#include "fuzz.hpp"
#include "http/transfer/transfer.hpp"
#include "kube/answer.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/api/resources.hpp"
#include "kubernetes/api/settings.hpp"
#include "kubernetes/watch/watcher.hpp"
#include "manifest/load.hpp"
#include "source/external/external.hpp"
#include "source/grpc/grpc.hpp"
#include "source/kubernetes/kubernetes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Arbitrary bytes as a client certificate, as a private key and as the chain that a peer shows: nothing may crash or hang, no
// password is asked for on a terminal, each failure has its reason, and a key that was read signs.
namespace fuzz_certificate {

using namespace gputide::fuzz;

namespace auth = gputide::auth;

int run(const std::uint8_t* bytes, std::size_t size) {
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

const registration target{"certificate", &run};

}  // namespace fuzz_certificate

// Arbitrary bytes as the answer of a token issuer: Entra, STS, a metadata service, Azure Arc, a program, a file; and as a token
// with claims to read.  Nothing may crash or hang; each failure has its reason; a secret that a peer echoes stays out of it.
namespace fuzz_token {

using namespace gputide::fuzz;

namespace auth = gputide::auth;

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
        // The file that a peer may name: one of the agent's own, and nothing above it.
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

int run(const std::uint8_t* bytes, std::size_t size) {
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

const registration target{"token", &run};

}  // namespace fuzz_token

// Arbitrary bytes as the body of an answer of the Kubernetes API, and as a kubeconfig: nothing may crash or hang, every
// failure has its reason, every judgement leaves a finite value or a reason.
namespace fuzz_kubernetes {

using namespace gputide::fuzz;

namespace auth = gputide::auth;
namespace k8s = gputide::source::kubernetes;
namespace kube = gputide::kube;

namespace {

void require_judgement(const gputide::http::answer& answer, k8s::api api) {
    k8s::settings by;
    by.api = api;
    by.metric = "cpu";
    by.name_space = std::string("ml");
    by.reduction = {"sum", false, false};
    const auto got = k8s::read_answer(answer, by, k8s::endpoint_of(by, "v1beta1"));
    require_reason(got);
    if (!got) return;
    const gputide::source::fetched out = k8s::judge(*got, by);
    require(std::isfinite(out.sample.value));
    require((out.sample.state == gputide::sample_state::ok) == (out.why.status == gputide::status::ok));
}

void require_pods(const gputide::http::answer& answer) {
    std::vector<k8s::listed_pod> pods;
    require_reason(k8s::read_pods(answer, k8s::pod_page("ml", "app=llm", ""), pods));
    for (const k8s::listed_pod& pod : pods) {
        for (const char* container : {"", "main"}) (void)pod.request_of("cpu", container);
    }
}

// Every file has the same bytes: the kubeconfig, and what it names.
class one_file final : public auth::surroundings {
  public:
    explicit one_file(std::string bytes) : bytes_(std::move(bytes)) {}
    std::optional<std::string> environment(const std::string&) const override { return std::nullopt; }
    gputide::result<gputide::secret_text> read_file(const std::string&, std::size_t) const override {
        return gputide::secret_text(std::string_view(bytes_));
    }

  private:
    const std::string bytes_;
};

}  // namespace

int run(const std::uint8_t* bytes, std::size_t size) {
    const std::string input(reinterpret_cast<const char*>(bytes), size);
    gputide::http::answer answer;
    answer.response.body = input;
    answer.response.status = one_of({200, 200, 200, 404}, size);
    require_judgement(answer, one_of({k8s::api::custom, k8s::api::external, k8s::api::resource}, size));
    require_reason(k8s::read_custom_version(answer));
    require_reason(kube::read_scale(answer, kube::scale_of("ml", "apps/v1", "Deployment", "llm")));
    require_reason(kube::read_lease(answer, kube::lease_of("ml", "gputide")));
    require_pods(answer);
    require_reason(auth::open_kubeconfig({"/k/config"}, {}, std::make_shared<one_file>(input)));
    return 0;
}

const registration target{"kubernetes", &run};

}  // namespace fuzz_kubernetes

// Arbitrary bytes as a watch of the Kubernetes API, cut into pieces of a size that the first byte names, as an answer to a write
// and as the settings of all that: nothing may crash or hang, what is refused has its reason, and the pieces make no difference.
namespace fuzz_watch {

using namespace gputide::fuzz;

namespace kubernetes = gputide::kubernetes;

namespace {

std::vector<std::string> lines_of(std::string_view bytes, std::size_t piece) {
    std::vector<std::string> out;
    kubernetes::line_cutter cutter;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
        cutter.feed(bytes.substr(0, piece), [&](const std::string& line, bool) { out.push_back(line); });
    }
    return out;
}

// A ScaledObject of the server becomes a text that the reader of manifests takes or refuses, and nothing else.
void read_object(simdjson::dom::object object) {
    const kubernetes::scaled_object scaler = kubernetes::read_scaled_object(object, "gputide");
    static_cast<void>(gputide::manifest::load({{"watch", scaler.manifest}}, {}));
    static_cast<void>(kubernetes::read_authentication(object, true));
    static_cast<void>(kubernetes::read_target_size(object));
    require(gputide::valid_utf8(kubernetes::read_autoscaler(object).reasons));
}

void judge(const std::string& body) {
    gputide::http::answer answer;
    answer.response.status = one_of({200, 409, 410, 422, 429, 500}, body.size());
    answer.response.body = body;
    const kubernetes::reply reply = kubernetes::judge(answer, {});
    require((reply.verdict == kubernetes::verdict::good) == (reply.why.status == gputide::status::ok));
    require(gputide::valid_utf8(reply.why.message));
    static_cast<void>(kubernetes::find_resource(answer, {}, "Deployment"));
    static_cast<void>(kubernetes::preferred_version(answer, {}));
    static_cast<void>(kubernetes::store_manifest(body, gputide::manifest::document_kind::secret));
}

}  // namespace

int run(const std::uint8_t* bytes, std::size_t size) {
    if (size == 0) return 0;
    const std::string input(reinterpret_cast<const char*>(bytes) + 1, size - 1);
    const std::vector<std::string> lines = lines_of(input, std::size_t{1} + bytes[0]);
    require(lines == lines_of(input, input.size() + 1));
    for (const std::string& line : lines) {
        const auto read = kubernetes::read_event(
            line, line.size() % 2 == 1, [](const kubernetes::watch_event& event, simdjson::dom::object object) {
                if (!event.unreadable) read_object(object);
            });
        require(read || !read.failure().message.empty());
    }
    judge(input);
    require_reason(gputide::kubernetes::read_settings(input));
    return 0;
}

const registration target{"watch", &run};

}  // namespace fuzz_watch

// Arbitrary bytes as a compressed body, whole and in small pieces: nothing may crash or hang, and what comes out does not hang on
// where the pieces end.
namespace fuzz_inflate {

using namespace gputide::fuzz;

namespace {

constexpr std::size_t max_bytes = 262'144;  // a few bytes may stand for many

struct inflated {
    bool good = true;
    bool is_whole = false;
    bool is_cut = false;  // more came than is kept
    std::string bytes;
};

inflated inflate(std::string_view from, std::size_t piece) {
    inflated out;
    gputide::http::inflater by;
    for (; out.good && !from.empty(); from.remove_prefix(std::min(piece, from.size()))) {
        out.good = by.take(from.substr(0, piece), [&out](std::string_view more) {
            out.is_cut = out.bytes.size() + more.size() > max_bytes;
            if (!out.is_cut) out.bytes += more;
            return !out.is_cut;
        });
    }
    out.is_whole = by.is_whole();
    return out;
}

}  // namespace

int run(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(bytes), size);
    const inflated whole = inflate(input, input.size() + 1);
    const inflated pieces = inflate(input, one_of({std::size_t{1}, std::size_t{7}, std::size_t{1'000}}, size));
    require(pieces.good == whole.good);  // a body that fails is dropped, however much of it came before
    if (whole.good) require(pieces.bytes == whole.bytes && pieces.is_whole == whole.is_whole);
    return 0;
}

const registration target{"inflate", &run};

}  // namespace fuzz_inflate

// An external scaler's answer, as each of the messages that it may be, behind its gRPC frame and without it: nothing may crash or
// hang, every failure has its reason, every outcome is a finite value or a reason.  And a stream of such messages, which are the same
// ones in whatever pieces they come.
namespace fuzz_external {

using namespace gputide::fuzz;

namespace external = gputide::source::external;
namespace grpc = gputide::source::grpc;

namespace {

void require_outcome(std::string_view message) {
    const auto specs = external::read_specs(message);
    const auto values = external::read_values(message);
    const auto active = external::read_activity(message);
    require_reason(specs);
    require_reason(values);
    require_reason(active);
    if (!specs || !values || specs->empty()) return;
    std::vector<external::read_metric> metrics;
    for (const external::metric_spec& spec : *specs) {
        require(spec.target_milli >= 0);
        if (spec.target_milli > 0) metrics.push_back({spec, *values});
    }
    if (metrics.empty()) return;
    const gputide::source::fetched out = external::outcome_of(metrics, active && *active, 0);
    require(std::isfinite(out.sample.value));
    require((out.sample.state == gputide::sample_state::ok) == (out.why.status == gputide::status::ok));
}

struct stream_read {
    std::vector<std::string> messages = {};
    bool is_damaged = false;
    bool has_rest = false;
};

stream_read read_stream(std::string_view stream, std::size_t piece_bytes) {
    stream_read out;
    grpc::frame_cutter cutter;
    const auto take = [&](std::string_view message) -> gputide::result<void> {
        require(message.size() <= grpc::frame_cutter::max_message_bytes);
        out.messages.emplace_back(message);
        return {};
    };
    for (std::size_t at = 0; at < stream.size() && !out.is_damaged; at += piece_bytes) {
        const auto fed = cutter.feed(stream.substr(at, piece_bytes), take);
        require_reason(fed);
        out.is_damaged = !fed;
    }
    out.has_rest = cutter.has_rest();
    return out;
}

void require_same_stream(std::string_view stream) {
    const stream_read whole = read_stream(stream, std::max<std::size_t>(stream.size(), 1));
    const stream_read pieces = read_stream(stream, 1 + stream.size() % 7);
    require(whole.messages == pieces.messages);
    require(whole.is_damaged == pieces.is_damaged);
    if (!whole.is_damaged) require(whole.has_rest == pieces.has_rest);
}

}  // namespace

int run(const std::uint8_t* bytes, std::size_t size) {
    const std::string input(reinterpret_cast<const char*>(bytes), size);
    require_outcome(input);
    require_same_stream(input);
    gputide::http::answer answer;
    answer.response.status = 200;
    answer.response.body = input;
    answer.response.headers = {{"content-type", "application/grpc"}, {"grpc-status", "0"}};
    const auto message = grpc::grpc_message(answer);
    require_reason(message);
    if (message) require_outcome(*message);
    answer.response.headers = {{"content-type", "application/grpc"}, {"grpc-status", "2"}, {"grpc-message", input}};
    require_reason(grpc::grpc_message(answer));
    answer.response.headers = {{"content-type", input}, {"grpc-status", input}};
    require_reason(grpc::grpc_message(answer));
    return 0;
}

const registration target{"external", &run};

}  // namespace fuzz_external
