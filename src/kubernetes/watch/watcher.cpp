#include "kubernetes/watch/watcher.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/json_split.hpp"
#include "formats/json/members.hpp"
#include "formats/json/scratch.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/watch/list.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gputide::kubernetes {

namespace dom = simdjson::dom;

namespace {

std::optional<change> change_of(std::string_view type) {
    static constexpr std::array<std::pair<std::string_view, change>, 5> names{{{"ADDED", change::added},
                                                                               {"MODIFIED", change::modified},
                                                                               {"DELETED", change::deleted},
                                                                               {"BOOKMARK", change::bookmark},
                                                                               {"ERROR", change::error}}};
    for (const auto& [name, what] : names) {
        if (name == type) return what;
    }
    return std::nullopt;
}

// Reads the name of an unparsable line's object.  Bookmarks and errors are an error here, because they have no object name.
result<void> use_unreadable(const std::string& line, std::string why,
                            function_ref<void(const watch_event&, dom::object)> use) {
    unreadable_object object = read_unreadable(member_text(line, "object"), std::move(why));
    const auto what = change_of(plain_member(line, "type"));
    if (!what || *what == change::bookmark || *what == change::error || object.key.name.empty())
        return fail(error_class::not_json, "a line of the watch is not a JSON object");
    watch_event out;
    out.change = *what;
    out.resource_version = object.resource_version;
    out.unreadable = std::move(object);
    use(out, {});
    return {};
}

}  // namespace

result<void> read_event(const std::string& line, bool is_cut, function_ref<void(const watch_event&, dom::object)> use) {
    if (is_cut) return use_unreadable(line, too_large_text(), use);
    formats::scratch_use own(line);
    const result<dom::object> parsed = parse_object(*own, line, line);
    if (!parsed) return use_unreadable(line, parsed.failure().message, use);
    const dom::object root = *parsed;
    const auto type = change_of(formats::text_of(root, "type").value_or(""));
    const auto object = formats::object_of(root, "object");
    if (!type || !object) {
        return fail(error_class::shape, "a line of the watch has no known type, or no object");
    }
    watch_event out;
    out.change = *type;
    if (*type == change::error) {
        out.code = formats::integer_of(*object, "code").value_or(0);
    } else if (const auto metadata = formats::object_of(*object, "metadata")) {
        out.resource_version = formats::text_of(*metadata, "resourceVersion").value_or("");
    }
    use(out, *object);
    return {};
}

void line_cutter::feed(std::string_view bytes, function_ref<void(const std::string&, bool)> take) {
    for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
        keep(bytes.substr(0, end));
        bytes.remove_prefix(end + 1);
        const std::string line = std::exchange(rest_, {});
        const bool is_cut = std::exchange(is_cut_, false);
        if (line.find_first_not_of(" \t\r") != std::string::npos) take(line, is_cut);
    }
    keep(bytes);
}

void line_cutter::keep(std::string_view bytes) {
    const std::size_t free_bytes = max_line_bytes - rest_.size();
    is_cut_ = is_cut_ || bytes.size() > free_bytes;
    rest_.append(bytes.substr(0, free_bytes));
}

namespace {

constexpr std::int64_t gone = 410;
constexpr std::int64_t unauthorized = 401;
constexpr std::int64_t forbidden = 403;
constexpr std::int64_t not_found = 404;
constexpr std::int64_t throttled = 429;
constexpr std::int64_t first_refusal = 400;
constexpr std::int64_t longest_missing_ms = 60'000;  // for a missing right or resource
constexpr std::int64_t longest_refused_ms = 5'000;   // for a rejected token: its file may be renewed at any moment
constexpr std::int64_t first_backoff_ms = 800;
constexpr std::int64_t longest_backoff_ms = 30'000;
constexpr std::int64_t backoff_reset_after_ms = 120'000;  // without a failure, as in client-go
constexpr std::int64_t very_short_ms = 1'000;             // a shorter watch counts as a failure unless it had an event

}  // namespace

next_step watch_plan::begin() {
    pages_.restart();
    return {};
}

next_step watch_plan::page_came(const std::string& resource_version, const std::string& token, std::size_t bytes) {
    version_ = resource_version;
    is_set_back_ = false;
    pages_.page_came(token, bytes);
    next_step out;
    if (token.empty()) {
        out.step = watch_step::watch;
        out.resource_version = version_;
    }
    return out;
}

next_step watch_plan::page_failed(const ending& how, std::int64_t now_ms, double uniform) {
    next_step out;
    if (how.is_too_large && pages_.page_did_not_fit()) return out;
    if (how.code == gone && !pages_.is_first()) {
        pages_.take_whole();
        return out;
    }
    out.after_ms = backoff_ms(how, now_ms, uniform);
    return out;
}

// Records the resourceVersion of an event.  A bookmark without a version or with "0" is ignored.  If versions decrease, etcd was
// restored from a backup: the watch then reports no older changes, so the collection is listed again.
void watch_plan::saw(const std::string& resource_version) {
    if (resource_version.empty() || resource_version == "0") return;
    is_set_back_ = is_set_back_ || is_older(resource_version, version_);
    version_ = resource_version;
}

// Selects the step after a watch.  Watches on from the same version after a connection that ended or was refused, and after 429.
// Otherwise lists again, because the watch may have missed changes.
next_step watch_plan::watch_ended(const ending& how, std::int64_t now_ms, double uniform) {
    next_step out = begin();
    const bool is_short = how.lasted_ms < very_short_ms;
    const bool is_stale = how.code == gone || is_set_back_ || (how.code == 0 && how.in_stream);
    const bool was_useful = how.had_event && !is_set_back_ && !is_short;
    const bool has_failed = (how.code != 0 && how.code != gone) || (is_short && !how.had_event && !is_stale);
    if (has_failed) {
        out.after_ms = backoff_ms(how, now_ms, uniform);
    } else if (is_stale ? !was_useful : is_short) {
        out.after_ms = backoff_but_once_ms(how, now_ms, uniform);
    }
    const bool is_refused = how.code >= first_refusal && how.code != throttled;
    if (is_stale || how.in_stream || how.is_death || is_refused) return out;
    out.step = watch_step::watch;
    out.resource_version = version_;
    return out;
}

// Returns 0 the first time, because a version can expire without any fault; otherwise the usual delay.
std::int64_t watch_plan::backoff_but_once_ms(const ending& how, std::int64_t now_ms, double uniform) {
    forget_failures(now_ms);
    if (failures_ > 0 || std::exchange(went_at_once_, true)) return backoff_ms(how, now_ms, uniform);
    failed_ms_ = now_ms;
    return 0;
}

void watch_plan::forget_failures(std::int64_t now_ms) {
    if (now_ms - failed_ms_ <= backoff_reset_after_ms) return;
    failures_ = 0;
    went_at_once_ = false;
}

// Returns the delay before the next request: 0.8 s, doubled to 30 s, times a random factor of 1 to 2, or longer if the server asks
// for it.  A missing right or resource is tried again after at most a minute: a server that has just started may lack rights and
// custom resources for a moment.
std::int64_t watch_plan::backoff_ms(const ending& how, std::int64_t now_ms, double uniform) {
    forget_failures(now_ms);
    failed_ms_ = now_ms;
    const std::int64_t doubled_ms = first_backoff_ms << std::min<std::int64_t>(failures_, 7);
    const auto spread = [uniform](std::int64_t wait_ms) {
        return wait_ms + static_cast<std::int64_t>(static_cast<double>(wait_ms) * uniform);
    };
    ++failures_;
    if (how.code == forbidden || how.code == not_found) return std::min(spread(doubled_ms), longest_missing_ms);
    if (how.code == unauthorized) return std::min(spread(doubled_ms), longest_refused_ms);
    const std::int64_t out = spread(std::min(doubled_ms, longest_backoff_ms));
    return std::max(out, std::min(how.retry_after_ms, 2 * longest_backoff_ms));
}

// ---- the watcher

namespace {

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
    list_ = api_->send(request, while_alive(*this, [](watcher& here, const reply& reply) { here.take_page(reply); }));
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
    const result<void> read =
        read_event(line, is_cut, [this](const watch_event& event, dom::object object) { take_event(event, object); });
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
    if (event.change == change::deleted) {
        sink_.gone(event.unreadable ? event.unreadable->key : read_facts(object).key);
    } else if (event.unreadable) {
        sink_.unreadable(*event.unreadable);
    } else if (event.change != change::bookmark) {
        sink_.seen(object);
    }
    plan_.saw(event.resource_version);
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
