#include "base/json_split.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "formats/json/members.hpp"
#include "formats/json/scratch.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/watch/watcher.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gputide::kubernetes {

namespace {

namespace dom = simdjson::dom;

constexpr std::size_t max_watch_message_bytes = 512;  // of the server's message

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
result<std::optional<unreadable_event>> unreadable_line(const std::string& line, std::string why) {
    unreadable_event out;
    out.object = read_unreadable(member_text(line, "object"), std::move(why));
    const auto what = change_of(plain_member(line, "type"));
    if (!what || *what == change::bookmark || *what == change::error || out.object.key.name.empty())
        return fail(error_class::not_json, "a line of the watch is not a JSON object");
    out.change = *what;
    return std::optional(std::move(out));
}

}  // namespace

result<std::optional<unreadable_event>> read_event(const std::string& line, bool is_cut,
                                                   function_ref<void(const watch_event&, dom::object)> use) {
    if (is_cut) return unreadable_line(line, too_large_text());
    formats::scratch_use own(line);
    const result<dom::object> parsed = parse_object(*own, line, line);
    if (!parsed) return unreadable_line(line, parsed.failure().message);
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
        out.message = redact(cut_utf8(formats::text_of(*object, "message").value_or(""), max_watch_message_bytes));
    } else if (const auto metadata = formats::object_of(*object, "metadata")) {
        out.resource_version = formats::text_of(*metadata, "resourceVersion").value_or("");
    }
    use(out, *object);
    return std::optional<unreadable_event>();
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

}  // namespace gputide::kubernetes
