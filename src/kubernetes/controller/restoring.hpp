// ScaledObjects that ask for their first size back when they are deleted (advanced.restoreToOriginalReplicaCount): a finalizer of
// our own holds the deletion until the size is written, or until that has failed often enough.  In: ScaledObjects as the watch
// brings them, who leads.  Out: finalizers, sizes, events.
// KEDA does the same by its own finalizer to those that it looks after (kedacore/keda controllers/keda/scaledobject_finalizer.go);
// they bear none of ours.  Everything happens on the thread that drives the loop.
#pragma once

#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/api/resources.hpp"
#include "kubernetes/api/settings.hpp"
#include "kubernetes/controller/awaited.hpp"
#include "kubernetes/controller/collection.hpp"
#include "kubernetes/lease/shards.hpp"
#include "kubernetes/scale/writer.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace gputide::kubernetes {

// What it shares with the cluster; all of it lives longer, until end().
struct restorer_surroundings {
    std::shared_ptr<http::loop> loop;
    std::shared_ptr<const kubernetes::api> api;
    std::shared_ptr<resource_finder> finder;
    const kubernetes::settings& settings;
    const collection<scaled_object>& scalers;
    const collection<autoscaler>& rivals;
    const shard_leads& leads;
    std::function<void(const object_key&, bool is_warning, std::string reason, std::string message)> announce;
    std::function<void(const written&)> count;
};

class restorer : public std::enable_shared_from_this<restorer> {
  public:
    using key = object_key;

    explicit restorer(restorer_surroundings surroundings) : with_(std::move(surroundings)) {}
    restorer(const restorer&) = delete;
    restorer& operator=(const restorer&) = delete;

    void changed(const key& one);  // the ScaledObject came, is another, or is gone
    // Sets the finalizer where it is wanted, and removes it where it is not.
    void keep_finalizer(const key& one, const scaled_object& object);
    void tick();  // once a second
    void end();

  private:
    struct work {
        std::int32_t tries = 0;          // of the size, that failed
        std::int32_t failures = 0;       // of the finalizer, in a row
        std::int64_t not_before_ms = 0;  // steady
        bool is_leaving = false;         // the ScaledObject is being deleted
        bool is_over = false;            // only the finalizer is left to be removed
        awaited step;
    };

    bool is_under_way(const work& its) const { return its.step.is_under_way(with_.loop->steady_ms()); }
    void restore(const key& one);
    void read_size(const key& one, const resource& resource, const std::string& name, std::int32_t size);
    void write_size(const key& one, const resource& resource, const key& target, wanted_size wanted);
    void wrote_size(const key& one, std::int32_t size, const written& written);
    void restored(const key& one, std::int32_t size);
    void restore_later(const key& one, const std::string& why);
    void give_up(const key& one, const std::string& why);
    void patch_finalizer(const key& one, bool is_wanted);
    // Nothing: it is not to be sent now.
    std::optional<api_request> finalizer_request(const key& one, bool is_wanted) const;
    void patched_finalizer(const key& one, bool is_wanted, const reply& reply);

    const restorer_surroundings with_;
    std::map<key, work> works_;
    bool is_ending_ = false;
};

}  // namespace gputide::kubernetes
