#include "runtime/cluster/texts.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "runtime/log.hpp"

#include <utility>

namespace gputide::runtime {
namespace {

constexpr std::int64_t kept_for_ms = 300'000;

cluster::endpoint store_at(const std::string& kind, const cluster::object_key& key) {
    cluster::endpoint out;
    out.version = "v1";
    out.resource = kind == "Secret" ? "secrets" : "configmaps";
    out.path =
        format_text("/namespaces/{}/{}/{}", percent_encode(key.name_space), out.resource, percent_encode(key.name));
    out.verb = "get";
    return out;
}

}  // namespace

text_store::text_store(std::shared_ptr<const cluster::api> of, std::string cluster_secrets_namespace,
                       std::function<void()> changed)
    : api_(std::move(of)),
      cluster_secrets_namespace_(std::move(cluster_secrets_namespace)),
      changed_(std::move(changed)),
      authentications_([](simdjson::dom::object one) { return cluster::read_authentication(one, false); },
                       [this](const cluster::object_key&) { changed_(); }),
      cluster_authentications_([](simdjson::dom::object one) { return cluster::read_authentication(one, true); },
                               [this](const cluster::object_key&) { changed_(); }) {}

void text_store::stop() {
    authentications_.stop();
    cluster_authentications_.stop();
    for (auto& [name, one] : stores_) {
        if (one.under_way) one.under_way->cancel();
    }
}

scaler_texts text_store::texts_of(const cluster::scaled_object& one) {
    scaler_texts out;
    out.files.push_back({one.facts.key.text(), one.manifest});
    for (const cluster::authentication_reference& named : one.authentications) {
        const std::string space = named.is_cluster_wide ? std::string() : one.facts.key.name_space;
        const auto& from = named.is_cluster_wide ? cluster_authentications_ : authentications_;
        const cluster::authentication* found = from.find({space, named.name});
        if (found == nullptr) continue;  // the reader of the manifest says that it is missing
        add_authentication(*found, named.is_cluster_wide ? cluster_secrets_namespace_ : space, out);
    }
    return out;
}

void text_store::add_authentication(const cluster::authentication& one, const std::string& stores_namespace,
                                    scaler_texts& to) {
    to.files.push_back({one.facts.key.text(), one.manifest});
    for (const std::string& name : one.secrets) add_store("Secret", {stores_namespace, name}, to);
    for (const std::string& name : one.config_maps) add_store("ConfigMap", {stores_namespace, name}, to);
}

void text_store::add_store(const char* kind, const cluster::object_key& key, scaler_texts& to) {
    auto [at, fresh] = stores_.try_emplace(format_text("{} {}", kind, key.text()));
    store_text& one = at->second;
    if (fresh) one.name = at->first;
    const bool is_old = fresh || api_->loop().steady_ms() - one.at_ms > kept_for_ms;
    if (is_old && !one.pending) fetch(kind, key, one);
    if (!one.text.empty()) to.files.push_back({one.name, one.text.reveal()});
    if (one.text.empty() && one.pending) to.is_complete = false;
}

void text_store::fetch(const char* kind, const cluster::object_key& key, store_text& into) {
    into.pending = true;
    cluster::api_request request;
    request.what = store_at(kind, key);
    into.under_way = api_->ask(request, [this, name = into.name, kind](const cluster::reply& got) {
        const auto found = stores_.find(name);
        if (found == stores_.end()) return;
        store_text& one = found->second;
        one.pending = false;
        one.at_ms = api_->loop().steady_ms();
        result<std::string> text = got.why;
        if (got.verdict == cluster::verdict::good) text = cluster::store_manifest(got.got.response.body, kind);
        const bool is_missing = got.verdict == cluster::verdict::missing || got.verdict == cluster::verdict::denied;
        if (text) one.text = secret_text(*text);
        if (!text && is_missing) one.text = {};  // after any other failure the old one may serve on
        if (!text) log(log_level::warning, name + ": " + text.failure().message);
        changed_();
    });
}

}  // namespace gputide::runtime
