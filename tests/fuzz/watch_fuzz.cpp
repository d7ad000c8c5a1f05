// Arbitrary bytes as a watch of the Kubernetes API, cut into pieces of a size that the first byte names, as an answer to a write
// and as the settings of all that: nothing may crash or hang, what is refused has its reason, and the pieces make no difference.  Built for libFuzzer.
#include "config/load.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/api/resources.hpp"
#include "kubernetes/api/settings.hpp"
#include "kubernetes/watch/event.hpp"
#include "require.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cluster = gputide::cluster;
using gputide::fuzz::one_of;
using gputide::fuzz::require;
using gputide::fuzz::require_reason;

namespace {

std::vector<std::string> lines_of(std::string_view bytes, std::size_t piece) {
    std::vector<std::string> out;
    kubernetes::line_cutter cutter;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
        cutter.feed(bytes.substr(0, piece), [&](const std::string& line, bool) { out.push_back(line); });
    }
    return out;
}

// What a ScaledObject of the server becomes is a text that the reader of manifests takes or refuses, and nothing else.
void read_object(simdjson::dom::object object) {
    const kubernetes::scaled_object scaler = kubernetes::read_scaled_object(object, "gputide");
    static_cast<void>(gputide::config::load({{"watch", scaler.manifest}}, {}));
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
    static_cast<void>(kubernetes::store_manifest(body, gputide::config::document_kind::secret));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    if (size == 0) return 0;
    const std::string input(reinterpret_cast<const char*>(bytes) + 1, size - 1);
    const std::vector<std::string> lines = lines_of(input, std::size_t{1} + bytes[0]);
    require(lines == lines_of(input, input.size() + 1));
    for (const std::string& line : lines) {
        const auto read = kubernetes::read_event(
            line, line.size() % 2 == 1,
            [](const kubernetes::watch_event&, simdjson::dom::object object) { read_object(object); });
        require(read || !read.failure().message.empty());
    }
    judge(input);
    require_reason(gputide::cluster::read_settings(input));
    return 0;
}
