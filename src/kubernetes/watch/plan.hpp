// The next step of a watcher: list, go on with a list, watch, wait.  Pure: the state machine of client-go's reflector
// (kubernetes/client-go tools/cache/reflector.go, tools/pager/pager.go) without its streamed lists.
#pragma once

#include "kubernetes/watch/list.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace gputide::kubernetes {

enum class watch_step {
    list,   // the page that pages() asks for
    watch,  // from resource_version
};

struct next_step {
    watch_step step = watch_step::list;
    std::int64_t after_ms = 0;
    std::string resource_version;  // of a watch
};

// The end of a watch or of a request for a page.
struct ending {
    std::int64_t code = 0;            // HTTP's, or of the Status in an ERROR event; 0: the connection ended
    std::int64_t retry_after_ms = 0;  // as the server asked
    std::int64_t lasted_ms = 0;
    bool is_too_large = false;  // of a page: the answer did not fit
    bool had_event = false;     // bookmarks too; an ERROR is not counted
    bool in_stream = false;     // an ERROR event said so: what was watched cannot be watched on
    bool is_death = false;      // nothing came for too long
};

class watch_plan {
  public:
    next_step begin();
    const paging& pages() const { return pages_; }

    // A page has come.  token: metadata.continue, "" on the last page.
    next_step page_came(const std::string& resource_version, const std::string& token, std::size_t bytes);
    next_step page_failed(const ending& how, std::int64_t now_ms, double uniform);

    void saw(const std::string& resource_version);  // an event or a bookmark
    next_step watch_ended(const ending& how, std::int64_t now_ms, double uniform);

  private:
    std::int64_t backoff_ms(const ending& how, std::int64_t now_ms, double uniform);
    std::int64_t backoff_but_once_ms(const ending& how, std::int64_t now_ms, double uniform);
    void forget_failures(std::int64_t now_ms);

    std::string version_;       // of the newest that was seen
    bool is_set_back_ = false;  // a version came that was older than the one before
    paging pages_;
    std::int64_t failures_ = 0;
    std::int64_t failed_ms_ = 0;
    bool went_at_once_ = false;  // after an end that would have been waited for
};

}  // namespace gputide::kubernetes
