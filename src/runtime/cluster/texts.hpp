// The texts that make one scaler of a cluster: its ScaledObject, the TriggerAuthentications that it names, and the Secrets and
// ConfigMaps that these name.  Secrets are asked for by name, when somebody needs them, and kept for some minutes: the least
// right that works is `get` of those names.
#pragma once

#include "base/secret.hpp"
#include "cluster/api.hpp"
#include "cluster/objects/objects.hpp"
#include "config/load.hpp"
#include "runtime/cluster/collection.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gputide::runtime {

// Views of what the store keeps; valid until the next call of it.
struct scaler_texts {
    std::vector<config::text_file> files;
    bool is_complete = true;  // false: something is being fetched, and `ready` will be called
};

class text_store {
  public:
    // changed: a text has come, is another, or cannot be had; on the loop's thread.
    text_store(std::shared_ptr<const cluster::api> of, std::string cluster_secrets_namespace,
               std::function<void()> changed);

    collection<cluster::authentication>& authentications() { return authentications_; }
    collection<cluster::authentication>& cluster_authentications() { return cluster_authentications_; }

    scaler_texts texts_of(const cluster::scaled_object& one);
    void forget_secrets() { stores_.clear(); }
    void stop();

  private:
    struct store_text {
        std::string name;  // for messages: "Secret ml/llm"
        secret_text text;  // empty: it cannot be had
        std::int64_t at_ms = 0;
        bool pending = false;
        std::shared_ptr<http::exchange> under_way;
    };

    void add_store(const char* kind, const cluster::object_key& key, scaler_texts& to);
    void fetch(const char* kind, const cluster::object_key& key, store_text& into);
    void add_authentication(const cluster::authentication& one, const std::string& stores_namespace, scaler_texts& to);

    const std::shared_ptr<const cluster::api> api_;
    const std::string cluster_secrets_namespace_;
    const std::function<void()> changed_;
    collection<cluster::authentication> authentications_;
    collection<cluster::authentication> cluster_authentications_;
    std::map<std::string, store_text> stores_;  // "Secret ml/llm"
};

}  // namespace gputide::runtime
