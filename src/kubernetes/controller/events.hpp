// Sends Kubernetes events.  Each event waits for its turn in the request queue and is sent again after a temporary failure.
// As in client-go's recorder, an event is dropped after 12 failures, and at most 1,000 events wait (kubernetes/client-go
// tools/record/event.go maxTriesPerEvent, maxQueuedEvents @0d54cf50db85).  Runs on the loop's thread.
#pragma once

#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace gputide::kubernetes {

struct object_event {
    object_key about;
    std::string uid;  // of the object
    bool is_warning = false;
    std::string reason;   // "SuccessfulRescale"
    std::string message;  // cut to the server's maximum
    manifest::document_kind kind = manifest::document_kind::scaled_object;
};

enum class event_step { drop, create, patch };

struct event_request {
    event_step step = event_step::drop;
    std::string name;  // of the Event; its namespace is the object's
    std::string body;  // the Event, or a merge patch
};

// Limits the number of events: a repeated event increases a count, ten different messages become one event, and each
// object has a rate limit.  Pure.
// Rules and limits: kubernetes/client-go tools/record/events_cache.go.
class event_correlator {
  public:
    explicit event_correlator(std::string instance) : instance_(std::move(instance)) {}

    event_request next(const object_event& event, std::int64_t now_ms, std::int64_t wall_ms);
    // Removes an event that was not created or does not exist any more.  An equal event is then created again.
    void forget(const std::string& event_name);

  private:
    struct sent_event {
        std::string name;
        std::int64_t count = 0;
        std::int64_t used_ms = 0;
    };
    struct similar_events {  // of an object, type and reason
        std::set<std::string> messages;
        std::int64_t used_ms = 0;
    };
    struct allowance {  // of an object
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

inline constexpr std::size_t max_waiting_events = 1'000;

class event_sender : public std::enable_shared_from_this<event_sender> {
  public:
    struct counts {
        std::uint64_t sent = 0, failures = 0;  // number of requests
        std::string message;                   // of the last failure
    };

    event_sender(std::shared_ptr<api> api, std::string instance)
        : api_(std::move(api)), correlator_(std::move(instance)) {}
    event_sender(const event_sender&) = delete;
    event_sender& operator=(const event_sender&) = delete;

    // Returns false if too many events are waiting; the event is not sent then.
    bool send(const object_event& event);
    void tick();  // once a second
    void end();

    const counts& counted() const { return counts_; }
    std::size_t waiting() const { return waiting_.size(); }

  private:
    struct waiting_event {
        object_event event;
        event_request request;
        std::int32_t failures = 0;
        std::int64_t not_before_ms = 0;  // steady clock
        awaited exchange;
    };
    using number = std::uint64_t;

    void begin(number which);
    void ended(number which, const reply& reply);
    void failed(number which, const reply& reply);
    bool is_being_made(const waiting_event& waiting) const;
    void make_anew(number which);

    const std::shared_ptr<api> api_;
    event_correlator correlator_;
    std::map<number, waiting_event> waiting_;  // oldest first
    number last_ = 0;
    std::int64_t not_before_ms_ = 0;  // steady clock; set while a right is missing
    std::int32_t denials_ = 0;        // consecutive
    counts counts_;
};

}  // namespace gputide::kubernetes
