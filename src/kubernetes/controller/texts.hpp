// The texts of a scaler: its ScaledObject, the TriggerAuthentications that it references, and their Secrets, ConfigMaps and tokens
// of service accounts.  These are requested by name when a scaler needs them, so the right `get` on these names (`create` for
// tokens) is enough.  A Secret is cached for some minutes, a token for four fifths of its lifetime.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/controller/store.hpp"
#include "manifest/keda_operator.hpp"
#include "manifest/load.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace gputide::kubernetes {

inline constexpr std::size_t max_stores = 64;  // Secrets, ConfigMaps and tokens of one ScaledObject or ScaledJob

struct scaler_texts {
    // Each object once, also if several references name it.
    std::map<manifest::object_identity, manifest::text_file> documents;
    bool is_complete = true;        // false: texts are being fetched; `changed` is called when they are complete
    bool is_over_bound = false;     // too many Secrets and ConfigMaps; none is fetched
    error why = error(status::ok);  // of the first unavailable text; status ok: all are available
};

std::vector<manifest::text_file> files_of(const scaler_texts& texts);
std::size_t hash_of(const scaler_texts& texts);

class text_store {
  public:
    // authentications_changed: called when a TriggerAuthentication changed.  changed: called when the texts of this ScaledObject
    // or ScaledJob may have changed or are due again.  Both run on the loop's thread.
    text_store(std::shared_ptr<api> api, std::string cluster_secrets_namespace, manifest::token_policy tokens,
               std::function<void()> authentications_changed,
               std::function<void(const manifest::object_identity&)> changed);

    // Watches the TriggerAuthentications of these namespaces ("": of all), and the ClusterTriggerAuthentications.
    void begin(const std::vector<std::string>& namespaces);
    void each_watch(watch_visitor use) const {
        authentications_.each_watch(use);
        cluster_authentications_.each_watch(use);
    }
    store<authentication>& authentications() { return authentications_; }

    scaler_texts texts_of(const scaled_object& object);
    void forget(const manifest::object_identity& user);  // the object was deleted or is not scaled here any more
    // Reads the object's Secrets again soon, because a failed metric may mean that they have changed.
    void doubt(const scaled_object& object);
    // Calls `changed` for users of texts that are due again, and removes texts without users.
    void look_again();
    std::size_t waiting() const { return awaiting_.size(); }  // number of users that wait for a first text
    void stop();

  private:
    struct store_text {
        secret_text text;                           // empty: not available
        error why;                                  // why the text is not available
        std::int64_t asked_ms = 0;                  // steady clock
        std::int64_t expires_ms = 0;                // likewise, of a token; 0: never
        std::set<manifest::object_identity> users;  // ScaledObjects and ScaledJobs that need the text
        attempt request;
    };

    const authentication* find(const authentication_reference& named, const scaled_object& scaled_object) const;
    void note_absent(const authentication_reference& named, const scaled_object& scaled_object,
                     scaler_texts& texts) const;
    std::vector<manifest::object_identity> stores_of(const authentication& authentication) const;
    scaler_texts refused(const scaled_object& object);
    void add_stores(const std::set<manifest::object_identity>& stores, const manifest::object_identity& user,
                    scaler_texts& texts);
    store_text& store_for(const manifest::object_identity& identity, const manifest::object_identity& user);
    void fetch(const manifest::object_identity& identity, store_text& store);
    void take(const manifest::object_identity& identity, const reply& reply, store_text& store);
    struct taken_text;
    result<taken_text> read(const manifest::object_identity& identity, const reply& reply) const;
    result<api_request> request_for(const manifest::object_identity& identity) const;
    void tell_users(const store_text& store, bool was_awaited);

    const std::shared_ptr<api> api_;
    const std::string cluster_secrets_namespace_;
    const manifest::token_policy tokens_;
    const std::function<void(const manifest::object_identity&)> changed_;
    store<authentication> authentications_;
    store<authentication> cluster_authentications_;
    std::map<manifest::object_identity, store_text> stores_;     // Secrets, ConfigMaps and tokens
    std::map<manifest::object_identity, std::size_t> awaiting_;  // number of first texts that each user waits for
};

// A token of a service account, as KEDA requests it for a boundServiceAccountToken (kedacore/keda
// pkg/scaling/resolver/service_account_token.go, k8s_validator.go @v2.21.0).  Pure.
// In: the account and its audiences (manifest/keda_operator.hpp).  Out: a TokenRequest; from its response the token as a manifest,
// or why it is not used.  No message holds a token.

// audiences: none leaves them to the API server, which takes its own.
api_request token_request(const object_key& account, const std::vector<std::string>& audiences);

struct account_token {
    secret_text manifest;     // a TokenRequest, which names the account
    std::int64_t life_s = 0;  // from now on
};

// Validates the token if audiences are given: it must be a service account's, not expired, and for no other audience.
result<account_token> read_account_token(const std::string& body, const object_key& account,
                                         const std::vector<std::string>& audiences, std::int64_t now_s);

}  // namespace gputide::kubernetes
