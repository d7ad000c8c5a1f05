#include "kubernetes/watch/listing.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "kube/endpoint.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace gputide::kubernetes {
namespace {

// If the server asks for a delay without saying how long.
constexpr std::int64_t usual_pause_ms = 1'000;
constexpr std::size_t max_list_bytes = std::size_t{256} << 20;  // of all pages together

error no_collection(std::string_view path) {
    return fail(error_class::config,
                "expected a collection such as /api/v1/nodes or "
                "/apis/policy/v1/namespaces/ml/poddisruptionbudgets?labelSelector=..., got {}",
                in_quotes(path))
        .at("path");
}

bool is_printable(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char letter) { return letter > ' ' && letter <= '~' && letter != '#'; });
}

class listing final : public http::operation<result<void>> {
  public:
    listing(api api, endpoint collection, std::int64_t deadline_ms, page_taker take_page,
            std::function<void(result<void>)> done)
        : operation(api.loop(), deadline_ms, std::move(done)),
          api_(std::move(api)),
          collection_(std::move(collection)),
          take_page_(std::move(take_page)) {}

    void read() {
        api_request request = pages_.request(collection_);
        request.timeout_ms = deadline_ms() - loop().steady_ms();
        carry(api_.send(request.target, api_.in_time(request),
                        [self = self()](const reply& reply) { self->take(reply); }));
    }

  private:
    std::shared_ptr<listing> self() { return std::static_pointer_cast<listing>(shared_from_this()); }

    void take(const reply& reply) {
        if (is_too_large(reply) && pages_.page_did_not_fit()) return read();
        if (reply.verdict == verdict::gone && !pages_.is_first()) {
            pages_.take_whole();
            return read();
        }
        const bool passes = reply.why.retryable && !std::exchange(repeated_, true);  // a read can be repeated safely
        if (reply.verdict == verdict::throttled || passes) return read_later(reply.why);
        if (reply.verdict != verdict::good) return fail_with(reply.why);
        take_body(reply.answer.response.body);
    }

    void take_body(const std::string& body) {
        const result<page> taken = read_page(body, pages_);
        if (!taken) return fail_with(taken.failure());
        if (result<void> kept = take_page_(*taken, body); !kept) return fail_with(kept.take_failure());
        if (taken->token.empty()) return finish({});
        pages_.page_came(taken->token, body.size());
        read();
    }

    void read_later(error why) {
        const std::int64_t pause_ms = std::max(requested_delay_ms(why), usual_pause_ms);
        if (loop().steady_ms() + pause_ms >= deadline_ms()) return fail_with(std::move(why));
        after(pause_ms, [self = self()] { self->read(); });
    }

    void fail_with(error why) {
        if (why.where.empty()) why.where = named(collection_.url());
        finish(std::move(why));
    }

    const api api_;
    const endpoint collection_;
    const page_taker take_page_;
    paging pages_;
    bool repeated_ = false;
};

}  // namespace

result<endpoint> collection_at(std::string_view path) {
    const std::size_t question = std::min(path.find('?'), path.size());
    std::vector<std::string_view> parts = split(path.substr(0, question), '/');
    const bool is_core = parts.size() > 1 && parts[1] == "api";
    const std::size_t first = is_core ? 3 : 4;  // after "", api, v1 or "", apis, group, version
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

std::shared_ptr<http::exchange> list_pages(api api, endpoint collection, std::int64_t deadline_ms, page_taker take_page,
                                           std::function<void(result<void>)> done) {
    auto out = std::make_shared<listing>(std::move(api), std::move(collection), deadline_ms, std::move(take_page),
                                         std::move(done));
    out->read();
    return out;
}

std::shared_ptr<http::exchange> list_collection(api api, endpoint collection, std::int64_t deadline_ms,
                                                std::function<void(result<std::string>)> done) {
    auto lists = std::make_shared<std::string>();
    const auto append = [lists](const page& page, const std::string& body) -> result<void> {
        if (page.is_first) lists->clear();
        lists->append(body).append("\n");
        if (lists->size() <= max_list_bytes) return {};
        return fail(status::limit, "the list has more than {} bytes; use a label selector", max_list_bytes);
    };
    return list_pages(std::move(api), std::move(collection), deadline_ms, append,
                      [lists, done = std::move(done)](const result<void>& read) {
                          read ? done(std::move(*lists)) : done(read.failure());
                      });
}

}  // namespace gputide::kubernetes
