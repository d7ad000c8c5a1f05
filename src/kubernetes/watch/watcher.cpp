#include "kubernetes/watch/watcher.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "kubernetes/watch/list.hpp"

#include <algorithm>
#include <utility>

namespace gputide::kubernetes {
namespace {

namespace dom = simdjson::dom;

constexpr std::int64_t list_timeout_ms = 60'000;
constexpr std::int64_t min_watch_s = 300;  // client-go uses a random number in [300, 600)
// Bookmarks come every minute.  libcurl does not ping HTTP/2 connections.
constexpr std::int64_t silent_death_ms = 180'000;
constexpr std::int64_t look_each_ms = 15'000;

}  // namespace

watcher::watcher(std::shared_ptr<api> api, endpoint collection, watch_sink& watch_sink, std::string other_version)
    : api_(std::move(api)),
      collection_(std::move(collection)),
      other_version_(std::move(other_version)),
      sink_(watch_sink) {
    health_.why = error(status::ok);
}

watcher::~watcher() { stop(); }

void watcher::start() {
    stopped_ = false;
    look_for_life();
    go(plan_.begin());
}

void watcher::stop() {
    stopped_ = true;
    if (under_way_) under_way_->cancel();
    under_way_.reset();
    is_watching_ = false;
    api_->loop().cancel(std::exchange(wait_, 0));
    api_->loop().cancel(std::exchange(life_, 0));
}

void watcher::later(std::int64_t after_ms, callback<void()> what, http::ticket& kept) {
    kept = api_->loop().after(after_ms, while_alive(*this, [what = std::move(what)](const watcher& here) {
                                  if (!here.stopped_) what();
                              }));
}

// Schedules the next step.  Runs it in a later iteration of the loop, when the previous request has been released.
void watcher::go(const next_step& next) {
    overdue_ms_ = api_->loop().steady_ms() + next.after_ms + look_each_ms;
    later(
        next.after_ms, [this, next] { run(next); }, wait_);
}

void watcher::run(const next_step& next) { next.step == watch_step::list ? list() : watch(next); }

void watcher::list() {
    api_request request = plan_.pages().request(collection_);
    request.timeout_ms = list_timeout_ms;
    list_ = api_->send(request.target, always(request),
                       while_alive(*this, [](watcher& here, const reply& reply) { here.take_page(reply); }));
    under_way_ = list_;
}

void watcher::take_page(const reply& reply) {
    const std::int64_t now_ms = api_->loop().steady_ms();
    result<page> read =
        reply.verdict == verdict::good ? read_page(reply.answer.response.body, plan_.pages()) : reply.why;
    if (!read) {
        health_.why = read.take_failure();
        if (reply.verdict == verdict::missing || reply.verdict == verdict::denied) health_.is_known = false;
        health_.is_missing = reply.verdict == verdict::missing;
        if (health_.is_missing && !other_version_.empty()) std::swap(collection_.version, other_version_);
        ending how;
        how.code = reply.answer.response.status;
        how.is_too_large = is_too_large(reply);
        how.retry_after_ms = health_.why.retry_after_ms;
        return go(plan_.page_failed(how, now_ms, api_->loop().uniform()));
    }
    if (read->is_first) sink_.listing();
    const std::string& body = reply.answer.response.body;
    read_items(
        *read, body, [this](dom::object object) { sink_.seen(object); },
        [this](const unreadable_object& object) { sink_.unreadable(object); });
    health_.heard_ms = now_ms;
    ++health_.lists;
    if (read->token.empty()) {
        health_.why = error(status::ok);
        health_.is_known = true;
        health_.is_missing = false;
        sink_.listed();
    }
    go(plan_.page_came(read->resource_version, read->token, body.size()));
}

void watcher::watch(const next_step& next) {
    const auto spread_s = static_cast<std::int64_t>(static_cast<double>(min_watch_s) * api_->loop().uniform());
    const std::int64_t max_s = min_watch_s + spread_s;
    endpoint what = collection_;
    what.verb = "watch";
    what.query += format_text("{}watch=1&allowWatchBookmarks=true&resourceVersion={}&timeoutSeconds={}",
                              what.query.empty() ? "?" : "&", percent_encode(next.resource_version), max_s);
    lines_ = {};
    seen_ = {};
    is_unreadable_ = false;
    began_ms_ = api_->loop().steady_ms();
    is_watching_ = true;
    ++health_.watches;
    under_way_ = api_->stream(what, (max_s + 60) * 1'000,
                              while_alive(*this,
                                          [began = health_.watches](watcher& here, std::string_view bytes) {
                                              if (!here.stopped_ && here.health_.watches == began)
                                                  here.take_bytes(bytes);
                                          }),
                              while_alive(*this, [](watcher& here, const reply& reply) { here.end_watch(reply); }));
}

void watcher::take_bytes(std::string_view bytes) {
    health_.heard_ms = api_->loop().steady_ms();
    if (is_unreadable_) return;
    lines_.feed(bytes, [this](const std::string& line, bool is_cut) {
        if (!is_unreadable_) take_line(line, is_cut);
    });
}

void watcher::take_line(const std::string& line, bool is_cut) {
    const auto read =
        read_event(line, is_cut, [this](const watch_event& event, dom::object object) { take_event(event, object); });
    if (read && *read) take_unreadable(**read);
    if (read) return;
    is_unreadable_ = true;  // its content is unknown, so the collection is listed again
    health_.why = read.failure();
    later(
        0,
        [this, began = health_.watches] {
            if (is_watching_ && health_.watches == began) abandon_watch();
        },
        wait_);
}

void watcher::take_event(const watch_event& event, dom::object object) {
    ++health_.events;
    if (event.change == change::error) {
        seen_.code = event.code;
        seen_.in_stream = true;
        return;
    }
    seen_.had_event = true;
    if (event.change == change::deleted) sink_.gone(read_facts(object).key);
    if (event.change == change::added || event.change == change::modified) sink_.seen(object);
    plan_.saw(event.resource_version);
    health_.why = error(status::ok);
}

void watcher::take_unreadable(const unreadable_event& event) {
    seen_.had_event = true;
    ++health_.events;
    event.change == change::deleted ? sink_.gone(event.object.key) : sink_.unreadable(event.object);
    plan_.saw(event.object.resource_version);
    health_.why = error(status::ok);
}

ending watcher::ending_of(const reply& reply) const {
    ending out = seen_;
    if (!out.in_stream && reply.verdict != verdict::good) out.code = reply.answer.response.status;
    out.retry_after_ms = reply.why.retry_after_ms;
    out.lasted_ms = api_->loop().steady_ms() - began_ms_;
    return out;
}

// Ends a watch that is still open.
void watcher::abandon_watch() {
    under_way_->cancel();
    end_watch(reply{verdict::good, error(status::ok), {}});
}

// Plans the step after a watch.  An object that was cut off comes again, because the resourceVersion is still the one before it.
void watcher::end_watch(const reply& reply) {
    is_watching_ = false;
    ending how = ending_of(reply);
    if (is_unreadable_) how.in_stream = true;
    if (reply.verdict == verdict::missing || reply.verdict == verdict::denied) health_.is_known = false;
    if (reply.verdict != verdict::good) health_.why = reply.why;
    go(plan_.watch_ended(how, api_->loop().steady_ms(), api_->loop().uniform()));
}

// Checks every 15 s for an open connection without data, and for a step that was lost for lack of memory.  Ignores a list request
// that waits for its turn.
void watcher::look_for_life() {
    later(
        look_each_ms,
        [this] {
            look_for_life();
            const std::int64_t now_ms = api_->loop().steady_ms();
            if (is_watching_ && now_ms - std::max(began_ms_, health_.heard_ms) > silent_death_ms) {
                ++health_.deaths;
                seen_.is_death = true;
                abandon_watch();
            } else if (!is_watching_ && now_ms > overdue_ms_ && !(list_ && list_->is_pending(now_ms))) {
                if (under_way_) under_way_->cancel();
                api_->loop().cancel(std::exchange(wait_, 0));
                go(plan_.begin());
            }
        },
        life_);
}

}  // namespace gputide::kubernetes
