#include "cluster/listing.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "formats/json/members.hpp"
#include "formats/json/scratch.hpp"
#include "kube/endpoint.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace gputide::cluster {
namespace {

namespace dom = simdjson::dom;

constexpr std::int64_t usual_pause_ms = 1'000;                   // where the server asks for a pause without its length
constexpr std::size_t most_list_bytes = std::size_t{256} << 20;  // of all pages; a plan takes no more
constexpr std::int64_t most_objects_of_page = 250;               // of 64 KiB each fit into limits::response_bytes

error no_collection(std::string_view path) {
    return fail_at(error_class::config, "path",
                   format_text("expected a collection such as /api/v1/nodes or "
                               "/apis/policy/v1/namespaces/ml/poddisruptionbudgets?labelSelector=..., got {}",
                               in_quotes(path)));
}

bool is_printable(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char letter) { return letter > ' ' && letter <= '~' && letter != '#'; });
}

// Nothing: it is no list.
std::optional<std::string> continue_token(const std::string& body) {
    formats::scratch_use own(body);
    dom::object root;
    if (own->parse(body, root) != simdjson::SUCCESS) return std::nullopt;
    const auto metadata = formats::object_of(root, "metadata");
    if (!metadata || !formats::array_of(root, "items")) return std::nullopt;
    return std::string(formats::text_of(*metadata, "continue").value_or(""));
}

class listing final : public http::operation<result<std::string>> {
  public:
    listing(api api, endpoint collection, std::int64_t deadline_ms, std::function<void(result<std::string>)> done)
        : operation(api.loop(), deadline_ms, std::move(done)),
          api_(std::move(api)),
          collection_(std::move(collection)) {}

    void read() {
        api_request request;
        request.target = collection_;
        request.timeout_ms = deadline_ms() - loop().steady_ms();
        const char* const sign = collection_.query.empty() ? "?" : "&";
        if (!whole_) request.target.query += format_text("{}limit={}", sign, most_objects_of_page);
        if (!token_.empty()) request.target.query += "&continue=" + percent_encode(token_);
        carry(api_.send(request, [self = self()](reply reply) { self->take(std::move(reply)); }));
    }

  private:
    std::shared_ptr<listing> self() { return std::static_pointer_cast<listing>(shared_from_this()); }

    void take(reply reply) {
        if (reply.verdict == verdict::gone && !token_.empty()) return read_whole();
        const bool passes = reply.why.retryable && !std::exchange(repeated_, true);  // reading does no harm twice
        if (reply.verdict == verdict::throttled || passes) return read_later(reply.why);
        if (reply.verdict != verdict::good) return fail_with(std::move(reply.why));
        const std::optional<std::string> token = continue_token(reply.answer.response.body);
        if (!token) return fail_with(fail(error_class::shape, "the answer is no list of Kubernetes"));
        lists_.append(reply.answer.response.body).append("\n");
        if (lists_.size() > most_list_bytes)
            return fail_with(
                fail(status::limit, format_text("more than {} bytes; narrow it by a selector", most_list_bytes)));
        token_ = *token;
        if (token_.empty()) return finish(std::move(lists_));
        read();
    }

    void read_whole() {
        token_.clear();
        lists_.clear();
        whole_ = true;
        read();
    }

    void read_later(error& why) {
        const std::int64_t pause_ms = std::max(why.retry_after_ms, usual_pause_ms);
        if (loop().steady_ms() + pause_ms >= deadline_ms()) return fail_with(std::move(why));
        after(pause_ms, [self = self()] { self->read(); });
    }

    void fail_with(error why) {
        if (why.where.empty()) why.where = named(collection_.url());
        finish(std::move(why));
    }

    const api api_;
    const endpoint collection_;
    std::string token_;
    std::string lists_;
    bool whole_ = false;
    bool repeated_ = false;
};

}  // namespace

result<endpoint> collection_at(std::string_view path) {
    const std::size_t question = std::min(path.find('?'), path.size());
    std::vector<std::string_view> parts = split(path.substr(0, question), '/');
    const bool is_core = parts.size() > 1 && parts[1] == "api";
    const std::size_t first = is_core ? 3 : 4;  // behind "", api, v1, or "", apis, group, version
    if (!is_printable(path) || parts.size() <= first || !parts[0].empty() || !(is_core || parts[1] == "apis"))
        return no_collection(path);
    const bool is_namespaced = parts.size() == first + 3 && parts[first] == "namespaces";
    if (parts.size() != first + 1 && !is_namespaced) return no_collection(path);
    if (!std::all_of(parts.begin() + 1, parts.end(), kube::is_path_segment)) return no_collection(path);
    endpoint out;
    if (!is_core) out.group = parts[2];
    out.version = parts[first - 1];
    out.resource = parts.back();
    out.path = is_namespaced ? format_text("/namespaces/{}/{}", parts[first + 1], parts.back()) : "/" + out.resource;
    out.query = path.substr(question);
    out.verb = "list";
    return out;
}

std::shared_ptr<http::exchange> list_collection(api api, endpoint collection, std::int64_t deadline_ms,
                                                std::function<void(result<std::string>)> done) {
    auto out = std::make_shared<listing>(std::move(api), std::move(collection), deadline_ms, std::move(done));
    out->read();
    return out;
}

}  // namespace gputide::cluster
