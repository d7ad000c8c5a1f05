// Keeps a collection of the API server up to date: lists it, watches it, and starts again after any failure, without end.
// Reports the objects to a sink, on the loop's thread.
#pragma once

#include "base/callback.hpp"
#include "base/function_ref.hpp"
#include "base/limits.hpp"
#include "base/result.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/watch/list.hpp"

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::kubernetes {

// Cuts the bytes of a watch into lines, and parses a line: {"type":"MODIFIED","object":{...}}.  Pure.

// added: also each object that exists when a watch starts. bookmark: only a newer resourceVersion. error: the object is a Status;
// the server then closes the stream.
enum class change { added, modified, deleted, bookmark, error };

struct watch_event {
    kubernetes::change change = change::error;
    std::string resource_version;                 // of the object; "" for an error
    std::int64_t code = 0;                        // of an error; 410: the resourceVersion is too old
    std::optional<unreadable_object> unreadable;  // set: the object cannot be read, but its name
};

// Calls `use` with the event and its object, which is valid only during the call; an unreadable object has none.  is_cut: the line
// was too long and is incomplete.  Error messages quote nothing of the object.  Error classes: not_json for an unreadable line
// without an object's name, shape for a JSON object with an unexpected structure.
result<void> read_event(const std::string& line, bool is_cut,
                        function_ref<void(const watch_event&, simdjson::dom::object)> use);

inline constexpr std::size_t max_line_bytes = limits::response_bytes;  // for one object, as for a page of a list

// Splits a watch into its lines, independent of how the network splits the bytes.  Each line is one JSON object.  Pure.
// Wire format: apiserver pkg/endpoints/handlers/watch.go.
class line_cutter {
  public:
    // Calls `take` with each complete line, without its line end, and skips empty lines. is_cut: the line is longer than
    // max_line_bytes and `line` is its beginning.
    void feed(std::string_view bytes, function_ref<void(const std::string& line, bool is_cut)> take);

    // Tells whether the stream ended inside a line.
    bool has_rest() const { return !rest_.empty(); }

  private:
    void keep(std::string_view bytes);

    std::string rest_;
    bool is_cut_ = false;
};

// Selects the next step of a watcher: list, next page, watch, wait.  Pure.  Follows client-go's reflector (kubernetes/client-go
// tools/cache/reflector.go, tools/pager/pager.go) without streaming lists.

enum class watch_step {
    list,   // the page that pages() selects
    watch,  // from resource_version
};

struct next_step {
    watch_step step = watch_step::list;
    std::int64_t after_ms = 0;
    std::string resource_version;  // where a watch starts
};

// The result of a watch, or of a failed request for a page.
struct ending {
    std::int64_t code = 0;            // HTTP status, or the code of an ERROR event; 0: the connection ended
    std::int64_t retry_after_ms = 0;  // requested by the server
    std::int64_t lasted_ms = 0;
    bool is_too_large = false;  // a page: the response was too large
    bool had_event = false;     // a bookmark counts, an ERROR does not
    bool in_stream = false;     // ended by an ERROR event: the watch cannot be resumed
    bool is_death = false;      // no data for too long
};

class watch_plan {
  public:
    next_step begin();
    const paging& pages() const { return pages_; }

    // Takes a page. token: metadata.continue; "" on the last page.
    next_step page_came(const std::string& resource_version, const std::string& token, std::size_t bytes);
    next_step page_failed(const ending& how, std::int64_t now_ms, double uniform);

    void saw(const std::string& resource_version);  // of an event or a bookmark
    next_step watch_ended(const ending& how, std::int64_t now_ms, double uniform);

  private:
    std::int64_t backoff_ms(const ending& how, std::int64_t now_ms, double uniform);
    std::int64_t backoff_but_once_ms(const ending& how, std::int64_t now_ms, double uniform);
    void forget_failures(std::int64_t now_ms);

    std::string version_;       // newest version received
    bool is_set_back_ = false;  // received a version older than the one before
    paging pages_;
    std::int64_t failures_ = 0;
    std::int64_t failed_ms_ = 0;
    bool went_at_once_ = false;  // skipped the delay after the last end
};

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
    watcher(std::shared_ptr<api> api, endpoint collection, watch_sink& watch_sink, std::string other_version = {});
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
    void take_page(const reply& reply);
    void watch(const next_step& next);
    void take_bytes(std::string_view bytes);
    void take_line(const std::string& line, bool is_cut);
    void take_event(const watch_event& event, simdjson::dom::object object);
    void end_watch(const reply& reply);
    void abandon_watch();
    void look_for_life();
    ending ending_of(const reply& reply) const;
    void later(std::int64_t after_ms, callback<void()> what, http::ticket& kept);

    const std::shared_ptr<api> api_;
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
