// Selects the next step of a watcher: list, next page, watch, wait.  Pure.  Follows client-go's reflector (kubernetes/client-go
// tools/cache/reflector.go, tools/pager/pager.go) without streaming lists.
#pragma once

#include "kubernetes/watch/list.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace gputide::kubernetes {

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

}  // namespace gputide::kubernetes
