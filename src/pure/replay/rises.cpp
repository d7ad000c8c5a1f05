// The rises of a replay: their sums and their JSON.
#include "base/stable_order.hpp"
#include "base/time.hpp"
#include "replay/summary.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace gputide::replay {

namespace {

struct named_stage {
    std::string_view name;
    std::int64_t decide::rise::*at;
};
constexpr std::array<named_stage, 4> stages{
    named_stage{"decision_seconds", &decide::rise::decided_ms}, named_stage{"write_seconds", &decide::rise::written_ms},
    named_stage{"ready_seconds", &decide::rise::ready_ms}, named_stage{"below_seconds", &decide::rise::end_ms}};

double in_seconds(std::int64_t ms) { return static_cast<double>(ms) / 1000.0; }

// Returns the smallest value that is at least as large as `percent` percent of all (nearest rank).
double quantile(const std::vector<std::int64_t>& sorted_ms, std::size_t percent) {
    const std::size_t rank = (sorted_ms.size() * percent + 99) / 100;
    return in_seconds(sorted_ms[rank > 0 ? rank - 1 : 0]);
}

void write_stage(json_writer& out, const named_stage& stage, const std::vector<decide::rise>& rises) {
    std::vector<std::int64_t> took_ms;
    for (const decide::rise& rise : rises)
        if (rise.*stage.at != 0) took_ms.push_back(rise.*stage.at - rise.start_ms);
    if (took_ms.empty()) return;
    sort_stably(took_ms);
    out.key(stage.name).begin_object().member("p50", quantile(took_ms, 50)).member("p95", quantile(took_ms, 95));
    out.member("max", quantile(took_ms, 100)).end_object();
}

void write_rise(json_writer& out, const decide::rise& rise) {
    out.begin_object().member("time", format_rfc3339_ms(rise.start_ms)).member("time_ms", rise.start_ms);
    for (const named_stage& stage : stages)
        if (rise.*stage.at != 0) out.member(stage.name, in_seconds(rise.*stage.at - rise.start_ms));
    out.member("is_below", rise.is_below).member("cause", decide::late_cause_name(rise.main_cause())).end_object();
}

}  // namespace

void rises::add(const decide::rise& rise) {
    if (count_++ % every_ == 0) kept_.push_back(rise);
    if (kept_.size() >= max_kept) {
        std::size_t half = 0;
        for (std::size_t i = 0; i < kept_.size(); i += 2) kept_[half++] = kept_[i];
        kept_.resize(half);
        every_ *= 2;
    }
    unanswered_ += rise.written_ms == 0 ? 1 : 0;
    unfinished_ += rise.is_below ? 0 : 1;
    for (std::size_t i = 0; i < cause_ms_.size(); ++i) cause_ms_[i] += rise.cause_ms[i];
    const auto at =
        std::upper_bound(longest_.begin(), longest_.end(), rise,
                         [](const decide::rise& a, const decide::rise& b) { return a.lasted_ms() > b.lasted_ms(); });
    longest_.insert(at, rise);
    if (longest_.size() > max_longest) longest_.pop_back();
}

void rises::write(json_writer& out) const {
    out.key("lateness").begin_object().member("rises", count_).member("without_write", unanswered_);
    out.member("unfinished", unfinished_);
    for (const named_stage& stage : stages) write_stage(out, stage, kept_);
    out.key("cause_minutes").begin_object();
    for (std::size_t i = 0; i < cause_ms_.size(); ++i)
        if (cause_ms_[i] > 0)
            out.member(decide::late_cause_name(static_cast<decide::late_cause>(i)), in_seconds(cause_ms_[i]) / 60.0);
    out.end_object().key("longest").begin_array();
    for (const decide::rise& rise : longest_) write_rise(out, rise);
    out.end_array().end_object();
}

}  // namespace gputide::replay
