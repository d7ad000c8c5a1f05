#include "kubernetes/controller/texts.hpp"

#include "base/text.hpp"
#include "kubernetes/api/resources.hpp"
#include "kubernetes/controller/store.hpp"
#include "manifest/names.hpp"
#include "runtime/log.hpp"

#include <algorithm>
#include <utility>

namespace gputide::kubernetes {
namespace {

constexpr std::int64_t kept_for_ms = 300'000;
constexpr std::int64_t trusted_for_ms = 10'000;  // applies even if a failed metric suggests a changed Secret
// A token is renewed as the kubelet renews a pod's (kubernetes/kubernetes pkg/kubelet/token/token_manager.go requiresRefresh).
constexpr std::int64_t renewed_at_percent = 80;
constexpr std::int64_t min_kept_ms = 1'000;
constexpr std::int64_t max_kept_ms = 86'400'000;     // as the kubelet's
constexpr std::int64_t kept_if_expired_ms = 60'000;  // already expired by this clock: one of the two clocks is wrong

void add(const manifest::object_identity& identity, std::string_view content, bool is_literal, scaler_texts& texts) {
    texts.documents.emplace(identity, manifest::text_file{identity.text(), content, is_literal});
}

bool is_token(const manifest::object_identity& identity) {
    return identity.kind == manifest::document_kind::token_request;
}

endpoint store_at(const manifest::object_identity& store) {
    const char* const plural = store.kind == manifest::document_kind::secret ? "secrets" : "configmaps";
    return known_resource("", "v1", plural).object({store.name_space, store.name}, "get");
}

// Tells whether this TriggerAuthentication alone references too many objects.
bool is_over_bound(const authentication& authentication) {
    return authentication.secrets.size() + authentication.config_maps.size() + authentication.accounts.size() >
           max_stores;
}

error not_a_name(const manifest::object_identity& identity) {
    return fail(status::invalid,
                "{} is not a valid Kubernetes name of a {}; correct the name in the "
                "TriggerAuthentication",
                in_quotes(identity.name), is_token(identity) ? "ServiceAccount" : manifest::kind_text(identity.kind));
}

scaler_texts over_bound() {
    scaler_texts out;
    out.is_over_bound = true;
    out.why = fail(status::limit,
                   "authenticationRef: the TriggerAuthentications of this object reference more than {} Secrets, "
                   "ConfigMaps and tokens, the maximum for one object; put the values into fewer Secrets",
                   max_stores);
    return out;
}

}  // namespace

std::vector<manifest::text_file> files_of(const scaler_texts& texts) {
    std::vector<manifest::text_file> out;
    for (const auto& [identity, file] : texts.documents) out.push_back(file);
    return out;
}

std::size_t hash_of(const scaler_texts& texts) {
    std::string all;
    for (const auto& [identity, file] : texts.documents)
        all.append(file.name).append(1, '\0').append(file.content).append(1, '\0');
    all += texts.why.message;
    const std::size_t out = std::hash<std::string>()(all);
    wipe(all);
    return out;
}

text_store::text_store(std::shared_ptr<api> api, std::string cluster_secrets_namespace, manifest::token_policy tokens,
                       std::function<void()> authentications_changed,
                       std::function<void(const manifest::object_identity&)> changed)
    : api_(std::move(api)),
      cluster_secrets_namespace_(std::move(cluster_secrets_namespace)),
      tokens_(std::move(tokens)),
      changed_(std::move(changed)),
      authentications_([](simdjson::dom::object object) { return read_authentication(object, false); },
                       [changed = authentications_changed](const object_key&) { changed(); }),
      cluster_authentications_([](simdjson::dom::object object) { return read_authentication(object, true); },
                               [changed = std::move(authentications_changed)](const object_key&) { changed(); }) {}

void text_store::begin(const std::vector<std::string>& namespaces) {
    for (const std::string& space : namespaces)
        authentications_.watch(api_, kedas("triggerauthentications").collection(space), space);
    cluster_authentications_.watch(api_, kedas("clustertriggerauthentications").collection({}), "");
}

void text_store::stop() {
    authentications_.stop();
    cluster_authentications_.stop();
    for (auto& [name, value] : stores_) value.request.work.cancel();
}

const authentication* text_store::find(const authentication_reference& named,
                                       const scaled_object& scaled_object) const {
    const auto& from = named.is_cluster_wide ? cluster_authentications_ : authentications_;
    return from.find(named.key_in(scaled_object.facts.key.name_space));
}

// Notes why a TriggerAuthentication was not found.  Notes nothing if the list is complete and readable: the manifest's parser
// reports that it does not exist.
void text_store::note_absent(const authentication_reference& named, const scaled_object& scaled_object,
                             scaler_texts& texts) const {
    const auto& from = named.is_cluster_wide ? cluster_authentications_ : authentications_;
    const object_key key = named.key_in(scaled_object.facts.key.name_space);
    const watch_health* health = from.health(key.name_space);
    if (health == nullptr) return;
    if (health->is_known) {
        const std::string why = from.unreadable_reason(key);
        if (!why.empty() && texts.why.status == status::ok)
            texts.why = fail(error_class::not_json, "{} cannot be read: {}", key.text(), why);
        return;
    }
    if (health->why.status == status::ok) texts.is_complete = false;  // the first list is in progress
    if (texts.why.status == status::ok) texts.why = health->why;
}

// Returns the Secrets and ConfigMaps of a TriggerAuthentication.  Those of a ClusterTriggerAuthentication are in one fixed
// namespace.
std::vector<manifest::object_identity> text_store::stores_of(const authentication& authentication) const {
    const std::string& own = authentication.facts.key.name_space;
    const std::string& space = own.empty() ? cluster_secrets_namespace_ : own;
    std::vector<manifest::object_identity> out;
    for (const std::string& name : authentication.secrets)
        out.push_back({manifest::document_kind::secret, space, name});
    for (const std::string& name : authentication.config_maps)
        out.push_back({manifest::document_kind::config_map, space, name});
    for (const std::string& name : authentication.accounts)
        out.push_back({manifest::document_kind::token_request, space, name});
    return out;
}

scaler_texts text_store::texts_of(const scaled_object& object) {
    scaler_texts out;
    add(object.identity(), object.manifest, false, out);
    std::set<manifest::object_identity> stores;
    for (const authentication_reference& named : object.authentications) {
        const authentication* found = find(named, object);
        if (found == nullptr) {
            note_absent(named, object, out);
            continue;
        }
        if (is_over_bound(*found)) return refused(object);
        add(found->identity(), found->manifest, false, out);
        for (manifest::object_identity& store : stores_of(*found)) stores.insert(std::move(store));
    }
    if (stores.size() > max_stores) return refused(object);
    add_stores(stores, object.identity(), out);
    return out;
}

// Returns the texts of an object with too many references, and stops waiting for its texts.
scaler_texts text_store::refused(const scaled_object& object) {
    awaiting_.erase(object.identity());
    return over_bound();
}

// Stops waiting for a user's texts.  Each store removes the user after its next read.
void text_store::forget(const manifest::object_identity& user) { awaiting_.erase(user); }

void text_store::add_stores(const std::set<manifest::object_identity>& stores, const manifest::object_identity& user,
                            scaler_texts& texts) {
    std::size_t awaited_texts = 0;
    for (const manifest::object_identity& identity : stores) {
        if (!manifest::is_dns_subdomain(identity.name)) {  // such a name is not safe in a URL path either
            if (texts.why.status == status::ok) texts.why = not_a_name(identity);
            continue;
        }
        const store_text& store = store_for(identity, user);
        if (!store.text.empty()) {
            add(identity, store.text.reveal(), true, texts);
        } else if (store.request.work.is_under_way(api_->loop().steady_ms())) {
            ++awaited_texts;
        } else if (texts.why.status == status::ok) {
            texts.why = store.why;
        }
    }
    if (awaited_texts > 0) {
        texts.is_complete = false;
        awaiting_[user] = awaited_texts;
    } else {
        awaiting_.erase(user);
    }
}

// Returns a store's text, and requests it if that is due.
text_store::store_text& text_store::store_for(const manifest::object_identity& identity,
                                              const manifest::object_identity& user) {
    store_text& out = stores_[identity];
    out.users.insert(user);
    if (out.request.may_begin(api_->loop().steady_ms())) fetch(identity, out);
    return out;
}

// Fails for a token that must not be requested.
result<api_request> text_store::request_for(const manifest::object_identity& identity) const {
    if (is_token(identity)) {
        const auto audiences = tokens_.audiences_for(identity.name_space, identity.name);
        if (!audiences) return audiences.failure();
        return token_request({identity.name_space, identity.name}, *audiences);
    }
    api_request out;
    out.target = store_at(identity);
    return out;
}

void text_store::fetch(const manifest::object_identity& identity, store_text& store) {
    store.asked_ms = api_->loop().steady_ms();
    const result<api_request> request = request_for(identity);
    if (!request) {  // until the settings are others
        store.why = request.failure();
        store.request.not_before_ms = store.asked_ms + kept_for_ms;
        return;
    }
    store.request.work.begin(api_->send(*request, [this, identity](const reply& reply) {
        const auto found = stores_.find(identity);
        if (found != stores_.end()) take(identity, reply, found->second);
    }));
}

struct text_store::taken_text {
    secret_text manifest;
    std::int64_t kept_ms = kept_for_ms;
    std::int64_t life_ms = 0;  // of a token; 0: no end
};

result<text_store::taken_text> text_store::read(const manifest::object_identity& identity, const reply& reply) const {
    const object_key key{identity.name_space, identity.name};
    if (reply.verdict != verdict::good) {
        error out = reply.why;
        out.message =
            (is_token(identity) ? "failed to create bound service account token for " + key.text() : identity.text()) +
            ": " + out.message;
        return out;
    }
    const std::string& body = reply.answer.response.body;
    if (!is_token(identity)) {
        result<std::string> text = store_manifest(body, identity.kind);
        if (text) return taken_text{secret_text(*std::move(text))};
        error out = text.take_failure();
        out.message = identity.text() + ": " + out.message;
        return out;
    }
    const auto audiences = tokens_.audiences_for(identity.name_space, identity.name);
    if (!audiences) return audiences.failure();
    auto token = read_account_token(body, key, *audiences, api_->loop().wall_ms() / 1'000);
    if (!token) return token.take_failure();
    if (audiences->empty()) {
        runtime::log(runtime::log_level::warning,
                     "service account token mode legacy: the token of " + key.text() +
                         " has no audience of its own, and a server that gets it may use the Kubernetes API with it; "
                         "name its audience in " +
                         manifest::token_audiences_variable);
    }
    const std::int64_t life_ms = std::min(token->life_s, max_kept_ms / 1'000) * 1'000;
    if (life_ms <= 0) return taken_text{std::move(token->manifest), kept_if_expired_ms};
    return taken_text{std::move(token->manifest), std::max(min_kept_ms, life_ms / 100 * renewed_at_percent), life_ms};
}

void text_store::take(const manifest::object_identity& identity, const reply& reply, store_text& store) {
    store.request.work.end();
    result<taken_text> text = read(identity, reply);
    store.request.ended(text.ok(), store.asked_ms, text ? text->kept_ms : 0);
    const secret_text before = store.text;
    if (text) {
        store.expires_ms = text->life_ms > 0 ? store.asked_ms + text->life_ms : 0;
        store.text = std::move(text->manifest);
    } else {
        const bool is_missing = reply.verdict == verdict::missing || reply.verdict == verdict::denied;
        const bool is_expired = store.expires_ms != 0 && api_->loop().steady_ms() >= store.expires_ms;
        if (is_missing || is_expired) store.text = {};  // after other failures the old text stays in use
        store.why = text.take_failure();
        runtime::log(runtime::log_level::warning, store.why.message);
    }
    if (before.empty() || !same_secret(before.reveal(), store.text.reveal())) tell_users(store, before.empty());
}

// Calls changed_ for the users.  A user that waits for several texts is called only for the last one.
void text_store::tell_users(const store_text& store, bool was_awaited) {
    for (const manifest::object_identity& user : store.users) {
        const auto awaiting = awaiting_.find(user);
        if (awaiting != awaiting_.end()) {
            if (!was_awaited || --awaiting->second > 0) continue;
            awaiting_.erase(awaiting);
        }
        changed_(user);
    }
}

void text_store::doubt(const scaled_object& object) {
    for (const authentication_reference& named : object.authentications) {
        const authentication* found = find(named, object);
        if (found == nullptr || is_over_bound(*found)) continue;
        for (const manifest::object_identity& store : stores_of(*found)) {
            const auto kept = stores_.find(store);
            if (kept == stores_.end()) continue;
            // Each token is another one, with which its users are opened again.
            const std::int64_t trusted_ms = is_token(store) ? kept_for_ms : trusted_for_ms;
            std::int64_t& again_ms = kept->second.request.not_before_ms;
            again_ms = std::min(again_ms, kept->second.asked_ms + trusted_ms);
        }
    }
}

// Calls changed_ for users of texts that are due, which makes them request the texts again if still needed.
void text_store::look_again() {
    const std::int64_t now_ms = api_->loop().steady_ms();
    for (auto at = stores_.begin(); at != stores_.end();) {
        store_text& store = at->second;
        const bool is_due = store.request.may_begin(now_ms);
        if (is_due && store.users.empty()) {
            at = stores_.erase(at);
            continue;
        }
        if (is_due) take_each(store.users, changed_);
        ++at;
    }
}

}  // namespace gputide::kubernetes
