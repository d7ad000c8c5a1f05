// Kubernetes events as kubectl users know them, few enough for a server: what happens again raises a count, what happens in ten
// wordings becomes one event, and each object has so many.  Pure: says what to send, and sends nothing.
// Rules and figures: kubernetes/client-go tools/record/events_cache.go.
#pragma once

#include "kubernetes/api/objects.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace gputide::kubernetes {

struct object_event {
    object_key about;
    std::string uid;  // of it
    bool is_warning = false;
    std::string reason;   // "SuccessfulRescale"
    std::string message;  // cut to what the server takes
    const char* kind = "ScaledObject";
};

enum class event_step { drop, create, patch };

struct event_request {
    event_step step = event_step::drop;
    std::string name;  // of the Event, in the namespace of what it is about
    std::string body;  // the Event, or a merge patch of it
};

class event_correlator {
  public:
    explicit event_correlator(std::string instance) : instance_(std::move(instance)) {}

    event_request next(const object_event& event, std::int64_t now_ms, std::int64_t wall_ms);
    // It did not come to be, or is gone: the same is created the next time.
    void forget(const std::string& event_name);

  private:
    struct sent_event {
        std::string name;
        std::int64_t count = 0;
        std::int64_t used_ms = 0;
    };
    struct similar_events {  // of one object, type and reason
        std::set<std::string> messages;
        std::int64_t used_ms = 0;
    };
    struct allowance {  // of one object
        double left = 0;
        std::int64_t used_ms = 0;
    };

    bool is_many(const std::string& group, const std::string& message, std::int64_t now_ms);
    bool may_send(const object_key& about, std::int64_t now_ms);

    const std::string instance_;
    std::map<std::string, sent_event> sent_;
    std::map<std::string, similar_events> similar_;
    std::map<object_key, allowance> allowances_;
    std::uint64_t made_ = 0;
};

}  // namespace gputide::kubernetes
