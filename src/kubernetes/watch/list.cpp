#include "kubernetes/watch/list.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/json_split.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "formats/json/members.hpp"
#include "formats/json/scratch.hpp"
#include "kube/endpoint.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace gputide::kubernetes {

namespace {

std::string reason_of(simdjson::error_code code) {
    if (code == simdjson::DEPTH_ERROR)
        return format_text("it is nested more than {} levels deep", simdjson::DEFAULT_MAX_DEPTH);
    return "it is not valid JSON";
}

}  // namespace

result<simdjson::dom::object> parse_object(formats::scratch& scratch, std::string_view object,
                                           const std::string& text) {
    simdjson::dom::object out;
    simdjson::error_code code = scratch.parse(object, text, out);
    if (code == simdjson::NUMBER_ERROR) {
        if (const auto mended = formats::large_integers_as_doubles(object)) code = scratch.parse(*mended, out);
    }
    if (code != simdjson::SUCCESS) return fail(error_class::not_json, reason_of(code));
    return out;
}

std::string too_large_text() { return format_text("it has more than {} bytes of JSON", limits::response_bytes); }

unreadable_object read_unreadable(std::string_view object, std::string why) {
    const std::string_view metadata = member_text(object, "metadata");
    unreadable_object out;
    out.key.name_space = plain_member(metadata, "namespace");
    out.key.name = plain_member(metadata, "name");
    out.resource_version = plain_member(metadata, "resourceVersion");
    out.why = std::move(why);
    return out;
}

std::optional<unreadable_object> read_item(std::string_view object, const std::string& text,
                                           function_ref<void(simdjson::dom::object)> use) {
    formats::scratch_use own(object);
    const result<simdjson::dom::object> parsed = parse_object(*own, object, text);
    if (!parsed) return read_unreadable(object, parsed.failure().message);
    use(*parsed);
    return std::nullopt;
}

void paging::restart() {
    token_.clear();
    is_whole_ = is_metadata_only_ = false;
}

void paging::page_came(const std::string& token, std::size_t bytes) {
    token_ = token;
    is_whole_ = is_metadata_only_ = false;
    if (bytes <= limits::response_bytes / 2) objects_ = std::min(2 * objects_, max_objects);
}

bool paging::page_did_not_fit() {
    if (is_whole_ || is_metadata_only_) {
        is_whole_ = false;
        return false;
    }
    if (objects_ > 1) {
        objects_ /= 2;
    } else {
        is_metadata_only_ = true;
    }
    return true;
}

void paging::take_whole() {
    restart();
    is_whole_ = true;
}

api_request paging::request(const endpoint& collection) const {
    api_request out;
    out.target = collection;
    out.target.verb = "list";
    if (is_metadata_only_) out.accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    if (is_whole_) return out;
    out.target.query += format_text("{}limit={}", collection.query.empty() ? "?" : "&", objects_);
    if (!token_.empty()) out.target.query += "&continue=" + percent_encode(token_);
    return out;
}

bool is_too_large(const reply& reply) { return reply.answer.fault == http::fault::too_large; }

namespace {

bool is_items(std::string_view member) { return member == "items"; }

}  // namespace

result<page> read_page(const std::string& body, const paging& asked) {
    const bool is_object = trim(body).starts_with('{');
    const split_text parts = is_object ? split_lists(body, &is_items) : split_text{};
    formats::scratch_use own(parts.rest);
    simdjson::dom::object root;
    const bool is_whole = is_object && !parts.cut && trim(std::string_view(body).substr(parts.behind)).empty();
    if (!is_whole || own->parse(parts.rest, root) != simdjson::SUCCESS)
        return fail(error_class::not_json, "the list is not a JSON object");
    const auto metadata = formats::object_of(root, "metadata");
    if (!metadata || root["items"].error() != simdjson::SUCCESS)
        return fail(error_class::shape, "the response is not a Kubernetes list: metadata or items is missing");
    page out;
    out.is_first = asked.is_first();
    out.is_metadata_only = asked.is_metadata_only();
    out.resource_version = formats::text_in(*metadata, "resourceVersion");
    out.token = formats::text_in(*metadata, "continue");
    out.items.reserve(parts.items.size());
    for (const text_part& item : parts.items) out.items.push_back(item.text);
    return out;
}

void read_items(const page& page, const std::string& body, function_ref<void(simdjson::dom::object)> use,
                function_ref<void(const unreadable_object&)> left_out) {
    for (const std::string_view item : page.items) {
        if (page.is_metadata_only) {
            left_out(read_unreadable(item, too_large_text()));
        } else if (const auto unreadable = read_item(item, body, use)) {
            left_out(*unreadable);
        }
    }
}

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
    return std::ranges::all_of(text, [](char letter) { return letter > ' ' && letter <= '~' && letter != '#'; });
}

class listing final : public http::operation<result<void>> {
  public:
    listing(std::shared_ptr<api> api, endpoint collection, std::int64_t deadline_ms, page_taker take_page,
            callback<void(result<void>)> done)
        : operation(api->loop(), deadline_ms, std::move(done)),
          api_(std::move(api)),
          collection_(std::move(collection)),
          take_page_(std::move(take_page)) {}

    void read() {
        api_request request = pages_.request(collection_);
        request.timeout_ms = deadline_ms() - loop().steady_ms();
        carry(api_->send(request.target, api_->in_time(request),
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

    const std::shared_ptr<api> api_;
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

std::shared_ptr<http::exchange> list_pages(std::shared_ptr<api> api, endpoint collection, std::int64_t deadline_ms,
                                           page_taker take_page, callback<void(result<void>)> done) {
    auto out = std::make_shared<listing>(std::move(api), std::move(collection), deadline_ms, std::move(take_page),
                                         std::move(done));
    out->read();
    return out;
}

std::shared_ptr<http::exchange> list_collection(std::shared_ptr<api> api, endpoint collection, std::int64_t deadline_ms,
                                                callback<void(result<std::string>)> done) {
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
