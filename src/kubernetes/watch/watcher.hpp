// Keeps a collection of the API server up to date: lists it, watches it, and starts again after any failure, without end.
// Reports the objects to a sink, on the loop's thread.
#pragma once

#include "base/callback.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/watch/list.hpp"
#include "kubernetes/watch/plan.hpp"

#include <simdjson.h>

#include <cstdint>
#include <memory>
#include <string>

namespace gputide::kubernetes {

// Receives the objects of a watch.
class watch_sink {
  public:
    watch_sink() = default;
    watch_sink(const watch_sink&) = delete;
    watch_sink& operator=(const watch_sink&) = delete;
    virtual ~watch_sink() = default;

    virtual void listing() = 0;                                    // a list starts; each existing object follows
    virtual void seen(simdjson::dom::object object) = 0;           // new, changed or unchanged
    virtual void unreadable(const unreadable_object& object) = 0;  // exists, but cannot be read
    virtual void gone(const object_key& key) = 0;
    virtual void listed() = 0;  // the list is complete; objects not seen since listing() do not exist any more
};

struct watch_health {
    bool is_known = false;                                         // listed at least once, and readable since
    bool is_missing = false;                                       // the server does not serve this kind
    std::int64_t heard_ms = 0;                                     // steady clock: last data from the server; 0: never
    std::uint64_t lists = 0, watches = 0, events = 0, deaths = 0;  // deaths: watches without data for too long
    error why;                                                     // last failure; status ok: none since
};

class watcher : public std::enable_shared_from_this<watcher> {
  public:
    // collection: verb and query empty.  The sink must outlive the watcher or its stop().
    // other_version: another version of the API group, tried after a 404, then alternately; "": none.
    watcher(std::shared_ptr<const api> api, endpoint collection, watch_sink& watch_sink,
            std::string other_version = {});
    ~watcher();
    watcher(const watcher&) = delete;
    watcher& operator=(const watcher&) = delete;

    void start();
    void stop();

    const watch_health& health() const { return health_; }
    const endpoint& collection() const { return collection_; }

  private:
    void go(const next_step& next);
    void run(const next_step& next);
    void list();
    void take_page(reply reply);
    void watch(const next_step& next);
    void take_bytes(std::string_view bytes);
    void take_line(const std::string& line, bool is_cut);
    void take_event(const watch_event& event, simdjson::dom::object object);
    void take_unreadable(const unreadable_event& event);
    void end_watch(const reply& reply);
    void abandon_watch();
    void look_for_life();
    ending ending_of(const reply& reply) const;
    void later(std::int64_t after_ms, callback<void()> what, http::ticket& kept);

    const std::shared_ptr<const api> api_;
    endpoint collection_;
    std::string other_version_;
    watch_sink& sink_;
    watch_plan plan_;
    watch_health health_;
    line_cutter lines_;
    ending seen_;  // reported by the lines of the current watch
    bool is_unreadable_ = false;
    bool is_watching_ = false;
    std::int64_t began_ms_ = 0;
    std::int64_t overdue_ms_ = 0;  // steady clock: the planned step must have started by then
    std::shared_ptr<http::exchange> under_way_;
    std::shared_ptr<api_exchange> list_;  // the last list request
    http::ticket wait_ = 0, life_ = 0;
    bool stopped_ = true;
};

}  // namespace gputide::kubernetes
