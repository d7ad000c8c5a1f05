// Servers that report changes by themselves: keeps their streams open for the scalers that are polled.  A report makes a scaler
// due; it only causes a poll, and the values of that poll count.
#include "base/format_text.hpp"
#include "runtime/fleet/fleet.hpp"
#include "runtime/log.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace gputide::runtime {
namespace {

// Minimum time between polls caused by a changed activity: the shortest pollingInterval, so that a server cannot cause more polls
// than a manifest.
constexpr std::int64_t between_changes_ms = 1'000;
// Minimum time between polls caused by repeated reports.  These only confirm the activity, from which cooldownPeriod counts.
// Some servers repeat it several times a second (kedacore/http-add-on); at the HPA's period it causes no additional polls.
constexpr std::int64_t between_repeats_ms = 15'000;

struct nothing {};

bool pushes(const source::metric_source* source) { return source != nullptr && source->metric().traits->pushes; }

// Tells whether the host pushes the metric's value: then its source is neither queried nor listened to.
bool is_given(std::span<const sample> given, std::size_t metric) {
    return metric < given.size() && given[metric].state != sample_state::not_given;
}

}  // namespace

// As in KEDA: only for ScaledObjects, and not while paused.
bool hosted_scaler::wants_streams() const {
    const manifest::scaling& scaling = scaler.policy().scaling;
    if (scaling.kind != manifest::manifest_kind::scaled_object || scaling.pause.paused) return false;
    return std::ranges::any_of(scaler.sources(), [](const auto& source) { return pushes(source.get()); });
}

bool hosted_scaler::has_stream(std::size_t metric) const {
    return std::ranges::any_of(streams, [metric](const held_stream& stream) { return stream.metric == metric; });
}

// Opens the streams that the scaler lacks. given: samples that the host pushes; held: number of open streams.
std::vector<held_stream> fleet::open_streams(const slot_use& use, const hosted_scaler& hosted,
                                             std::span<const sample> given, std::uint64_t held) {
    std::vector<held_stream> out;
    // reserved, because a posted stream must be stored to be ended later
    out.reserve(hosted.scaler.sources().size());
    for (std::size_t metric = 0; metric < hosted.scaler.sources().size(); ++metric) {
        const auto& source = hosted.scaler.sources()[metric];
        if (!pushes(source.get()) || is_given(given, metric) || hosted.has_stream(metric)) continue;
        if (held + out.size() >= options_.max_streams) {
            if (!std::exchange(lacks_streams_, true)) {
                log(log_level::warning,
                    format_text("{} streams are open, which is the maximum: {} and other scalers are only polled",
                                held + out.size(), hosted.name()));
            }
            break;
        }
        const std::uint64_t serial = ++last_stream_;
        std::string name = format_text("{}: {}", hosted.name(), hosted.scaler.policy().metrics[metric].label());
        const listener::baton baton = std::make_shared<const bool>(true);
        const auto posted = http::post<nothing>(
            *loop_,
            [this, use, serial, source, baton, name = std::move(name)](const callback<void(nothing)>&) {
                auto begun = std::make_shared<listener>(
                    loop_, source, name,
                    [this, use, serial](source::stream_report report) { take_word(use, serial, report); });
                begun->open(baton);
                return begun;
            },
            [](nothing) {});
        held_stream& stream = out.emplace_back();
        stream.serial = serial;
        stream.metric = metric;
        stream.listener = {posted.get(), [posted](http::posted*) { posted->cancel(); }};
        stream.baton = baton;
    }
    return out;
}

// Checks the streams at each poll: capacity may have become free, the host may push values itself, and streams lost for lack of
// memory are reopened here.
void fleet::hold_streams(const slot_use& use, hosted_scaler& hosted) {
    if (!hosted.wants_streams()) return;
    const std::span<const sample> given = hosted.observation.pushed();
    stats_.streams -= std::erase_if(hosted.streams, [given](const held_stream& stream) {
        return stream.baton.expired() || is_given(given, stream.metric);
    });
    std::vector<held_stream> lacking = open_streams(use, hosted, given, stats_.streams);
    hosted.streams.insert(hosted.streams.end(), std::make_move_iterator(lacking.begin()),
                          std::make_move_iterator(lacking.end()));
    stats_.streams += lacking.size();
}

void fleet::drop_streams(hosted_scaler& hosted) {
    stats_.streams -= hosted.streams.size();
    hosted.streams.clear();
}

// Returns whether the report is new; changed targets always are.
bool held_stream::take(source::stream_report report) {
    if (report == source::stream_report::targets) return true;
    const activity_word word =
        report == source::stream_report::active ? activity_word::active : activity_word::inactive;
    return std::exchange(known, word) != word;
}

void fleet::take_word(const slot_use& use, std::uint64_t serial, source::stream_report report) {
    {
        const std::lock_guard hold(lock_);
        hosted_scaler* hosted = at(use);
        if (hosted == nullptr) return;
        const auto stream = std::ranges::find_if(
            hosted->streams, [serial](const held_stream& held_stream) { return held_stream.serial == serial; });
        if (stream == hosted->streams.end()) return;  // of the previous manifest
        ++stats_.stream_words;
        const bool is_first = stream->known == activity_word::none && report != source::stream_report::targets;
        const bool is_change = stream->take(report);
        if (is_first && hosted->polling) {
            stream->awaits_poll = true;
            return;
        }
        const std::int64_t wanted_ms = hosted->began_ms + (is_change ? between_changes_ms : between_repeats_ms);
        if (wanted_ms >= hosted->wanted_ms) return;
        hosted->wanted_ms = wanted_ms;
        if (hosted->polling || hosted->awaits_observation) return;  // a following poll will use it
        const std::int64_t delay_ms = std::max<std::int64_t>(0, wanted_ms - loop_->steady_ms());
        if (now().elapsed_ms + delay_ms >= hosted->planned_ms) return;
        plan(use.index, delay_ms);
    }
    signals_.stirred();
}

// Keeps the last known activity of a stream if the new manifest's trigger has the same query.
void fleet::keep_known(hosted_scaler& fresh, const hosted_scaler& before) {
    for (const held_stream& old : before.streams) {
        if (old.awaits_poll) {  // its poll is canceled: another one must confirm it
            fresh.polls_soon = true;
            continue;
        }
        const std::string key = before.scaler.source(old.metric)->query_key();
        for (held_stream& stream : fresh.streams) {
            if (fresh.scaler.source(stream.metric)->query_key() == key) stream.known = old.known;
        }
    }
}

// Takes over the activity found by a poll: a server that only reports "active" reports a change if the poll before found it idle.
void fleet::note_activity(hosted_scaler& hosted, const all_reads& reads) {
    for (held_stream& stream : hosted.streams) {
        const activity_word found = reads.metrics[stream.metric].value.activity;
        if (std::exchange(stream.awaits_poll, false) && found != stream.known)
            hosted.wanted_ms = std::min(hosted.wanted_ms, hosted.began_ms + between_changes_ms);
        if (found != activity_word::none) stream.known = found;
    }
}

namespace {

constexpr std::int64_t long_life_ms = 60'000;

}  // namespace

std::int64_t reopening::wait_ms(const source::stream_end& end, const life& before, double uniform) {
    const bool was_good = before.lasted_ms >= long_life_ms || (end.why.status == status::ok && before.had_word);
    if (was_good) next_ms_ = shortest_ms;
    if (end.is_unserved) next_ms_ = longest_ms;
    if (end.is_over_time) return 0;  // a regular end
    const std::int64_t out = next_ms_;
    next_ms_ = std::min(2 * next_ms_, longest_ms);
    return out + static_cast<std::int64_t>(uniform * static_cast<double>(out) / 2);
}

listener::listener(std::shared_ptr<http::loop> loop, std::shared_ptr<source::metric_source> source, std::string name,
                   std::function<void(source::stream_report)> on_report)
    : loop_(std::move(loop)), source_(std::move(source)), name_(std::move(name)), on_report_(std::move(on_report)) {}

void listener::open(baton held) {
    opened_ms_ = loop_->steady_ms();
    had_word_ = false;
    const auto self = weak_from_this();
    stream_ = source_->listen(
        loop_,
        [self](source::stream_report report) {
            if (const auto here = self.lock()) here->take(report);
        },
        [self, held = std::move(held)](const source::stream_end& end) {
            if (const auto here = self.lock()) here->end(end, held);
        });
}

void listener::cancel() {
    is_cancelled_ = true;
    loop_->cancel(std::exchange(wait_, 0));
    if (const auto stream = std::exchange(stream_, nullptr)) stream->cancel();
}

void listener::take(source::stream_report report) {
    if (is_cancelled_) return;
    if (report != source::stream_report::targets) {  // these have a stream of their own
        had_word_ = true;
        if (std::exchange(is_failing_, false)) log(log_level::warning, name_ + ": its stream works again");
    }
    on_report_(report);
}

void listener::end(const source::stream_end& end, const baton& held) {
    if (is_cancelled_) return;
    if (end.why.status != status::ok && !std::exchange(is_failing_, true)) {
        log(log_level::warning,
            format_text("{}: its stream ended; until it is open again, only polls detect changes: {}: {}", name_,
                        status_name(end.why.status), end.why.message));
    }
    const std::int64_t lasted_ms = loop_->steady_ms() - opened_ms_;
    wait_ = loop_->after(plan_.wait_ms(end, {lasted_ms, had_word_}, loop_->uniform()), [self = weak_from_this(), held] {
        const auto here = self.lock();
        if (here && !here->is_cancelled_) here->open(held);
    });
}

}  // namespace gputide::runtime
