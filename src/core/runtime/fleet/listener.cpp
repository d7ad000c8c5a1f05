#include "runtime/fleet/listener.hpp"

#include "base/format_text.hpp"
#include "runtime/log.hpp"

#include <algorithm>
#include <utility>

namespace gputide::runtime {
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
