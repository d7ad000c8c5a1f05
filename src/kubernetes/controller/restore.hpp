// Restores the original size of ScaledObjects with advanced.restoreToOriginalReplicaCount when they are deleted.  A finalizer of
// gputide delays the deletion until the size is written or has failed too often.
// For ScaledObjects with KEDA's finalizer, KEDA does this (kedacore/keda controllers/keda/scaledobject_finalizer.go); they get no
// finalizer of gputide.
#pragma once

#include "kubernetes/api/api.hpp"
#include "kubernetes/controller/store.hpp"
#include "kubernetes/scale/writer.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace gputide::kubernetes {

struct controller_context;
class object_rules;

class restorer : public std::enable_shared_from_this<restorer> {
  public:
    using key = object_key;

    restorer(controller_context& context, const store<scaled_object>& objects, object_rules& rules)
        : with_(context), objects_(objects), rules_(rules) {}
    restorer(const restorer&) = delete;
    restorer& operator=(const restorer&) = delete;

    void changed(const key& name);  // called after the ScaledObject was created, changed or deleted
    // Sets or removes the finalizer as needed.
    void keep_finalizer(const key& name, const scaled_object& object);
    void tick();  // once a second
    void end();

  private:
    struct restoring {
        std::int32_t tries = 0;   // failed attempts to restore the size
        bool is_leaving = false;  // the ScaledObject is being deleted
        bool is_over = false;     // only the finalizer must still be removed
        attempt step;             // failures: of the finalizer's patch
    };

    void restore(const key& name);
    void found(const key& name, const result<resource>& resource, const std::string& target, std::int32_t size);
    void read_size(const key& name, const resource& resource, const std::string& target, std::int32_t size);
    void write_size(const key& name, const resource& resource, const key& target, wanted_size wanted);
    void wrote_size(const key& name, std::int32_t size, const written& written);
    void restored(const key& name, std::int32_t size);
    void restore_later(const key& name, std::string_view why);
    void give_up(const key& name, std::string_view why);
    void patch_finalizer(const key& name, bool is_wanted);
    // Returns no request if none must be sent now.
    std::optional<api_request> finalizer_request(const key& name, bool is_wanted) const;
    void patched_finalizer(const key& name, bool is_wanted, const reply& reply);
    void announce(const key& name, bool is_warning, const char* reason, std::string message) const;

    controller_context& with_;
    const store<scaled_object>& objects_;
    object_rules& rules_;
    std::map<key, restoring> tasks_;
    bool is_ending_ = false;
};

}  // namespace gputide::kubernetes
