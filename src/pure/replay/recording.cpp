#include "replay/recording.hpp"

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/stable_order.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace gputide::replay {
namespace {

result<void> check_time(std::int64_t time_ms) {
    if (time_ms >= 0 && time_ms <= latest_ms) return {};
    return fail(status::invalid,
                "series: the time {} ms is outside the years 1970 to 9999; give Unix "
                "seconds, Unix milliseconds or RFC 3339",
                time_ms);
}

result<metric_track*> track_of(recording& recording, std::size_t metric) {
    if (metric >= max_metrics)
        return fail(status::limit, "series: at most {} metrics, got number {}", max_metrics, metric);
    if (recording.metrics.size() <= metric) recording.metrics.resize(metric + 1);
    return &recording.metrics[metric];
}

result<void> add(recording& recording, std::size_t metric, const point& point) {
    if (result<void> ok = check_time(point.time_ms); !ok) return ok;
    result<metric_track*> track = track_of(recording, metric);
    if (!track) return track.take_failure();
    if (recording.notes.points >= static_cast<std::int64_t>(max_points))
        return fail(status::limit, "series: more than {} points; replay a shorter time or a longer step", max_points);
    if (!(*track)->points.empty() && (*track)->points.back().time_ms > point.time_ms) ++recording.notes.unordered;
    (*track)->points.push_back(point);
    ++recording.notes.points;
    if (point.state == sample_state::not_a_number) ++recording.notes.not_a_number;
    if (point.state != sample_state::ok && point.state != sample_state::empty &&
        point.state != sample_state::not_a_number)
        ++recording.notes.failed_reads;
    recording.tidied = false;
    return {};
}

// Sorts by time and keeps the last entry of equal times.  Returns the number of removed entries.
template <class Timed>
std::int64_t sort_and_drop(std::vector<Timed>& all) {
    sort_stably(all, [](const Timed& a, const Timed& b) { return a.time_ms < b.time_ms; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (kept > 0 && all[kept - 1].time_ms == all[i].time_ms) --kept;
        all[kept++] = all[i];
    }
    const auto dropped = static_cast<std::int64_t>(all.size() - kept);
    all.resize(kept);
    return dropped;
}

std::int64_t median_distance_ms(const std::vector<point>& points) {
    constexpr std::size_t enough = 10'001;  // the first points are representative; a year has two million
    if (points.size() < 2) return 0;
    std::vector<std::int64_t> distances;
    distances.reserve(std::min(points.size() - 1, enough));
    for (std::size_t i = 1; i < points.size() && distances.size() < enough; ++i)
        distances.push_back(points[i].time_ms - points[i - 1].time_ms);
    sort_stably(distances);
    return distances[distances.size() / 2];
}

void measure_gaps(const std::vector<point>& points, input_notes& input_notes) {
    for (std::size_t i = 1; i < points.size(); ++i) {
        const std::int64_t apart_ms = points[i].time_ms - points[i - 1].time_ms;
        if (input_notes.step_ms <= 0 || apart_ms * 2 <= input_notes.step_ms * 3) continue;
        ++input_notes.gaps;
        input_notes.longest_gap_ms = std::max(input_notes.longest_gap_ms, apart_ms);
    }
}

}  // namespace

result<void> add_point(recording& recording, std::size_t metric, std::int64_t time_ms, double value) {
    if (!std::isfinite(value)) return add(recording, metric, {time_ms, 0.0, sample_state::not_a_number});
    return add(recording, metric, {time_ms, value, sample_state::ok});
}

result<void> add_missing(recording& recording, std::size_t metric, std::int64_t time_ms, sample_state why) {
    return add(recording, metric, {time_ms, 0.0, why});
}

result<void> add_samples(recording& recording, std::size_t metric, std::span<const sample> samples) {
    for (const sample& sample : samples) {
        result<void> ok = sample.state == sample_state::ok
                              ? add_point(recording, metric, sample.time_ms, sample.value)
                              : add_missing(recording, metric, sample.time_ms, sample.state);
        if (!ok) return ok;
    }
    return {};
}

result<void> add_range(recording& recording, std::size_t metric, std::span<const point> points) {
    std::int64_t step_ms = 0;
    for (std::size_t i = 1; i < points.size(); ++i) {
        const std::int64_t apart_ms = points[i].time_ms - points[i - 1].time_ms;
        if (apart_ms > 0 && (step_ms == 0 || apart_ms < step_ms)) step_ms = apart_ms;
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (result<void> ok = add_point(recording, metric, points[i].time_ms, points[i].value); !ok) return ok;
        const bool gap = i + 1 < points.size() && points[i + 1].time_ms - points[i].time_ms >= 2 * step_ms;
        if (step_ms == 0 || !gap) continue;
        const std::int64_t missing_ms = points[i].time_ms + step_ms;
        if (result<void> ok = add_missing(recording, metric, missing_ms, sample_state::empty); !ok) return ok;
    }
    return {};
}

result<void> add_size(recording& recording, std::int64_t time_ms, std::int32_t replicas) {
    if (result<void> ok = check_time(time_ms); !ok) return ok;
    if (replicas < 0)
        return fail(status::invalid, "series: {} replicas at {}; a size is 0 or more", replicas,
                    format_rfc3339_ms(time_ms));
    if (recording.sizes.size() >= max_points) return fail(status::limit, "series: too many replica counts");
    recording.sizes.push_back({time_ms, replicas});
    recording.tidied = false;
    return {};
}

result<void> merge(recording& whole, recording part, std::size_t metric) {
    const std::size_t metrics = metric + part.metrics.size();
    if (metric >= max_metrics || metrics > max_metrics)
        return fail(status::limit, "series: at most {} metrics", max_metrics);
    if (static_cast<std::size_t>(whole.notes.points + part.notes.points) > max_points ||
        whole.sizes.size() + part.sizes.size() > max_points)
        return fail(status::limit, "series: more than {} points; replay a shorter time or a longer step", max_points);
    if (whole.metrics.size() < metrics) whole.metrics.resize(metrics);
    for (std::size_t i = 0; i < part.metrics.size(); ++i) {
        metric_track& track = whole.metrics[metric + i];
        if (track.name.empty()) track.name = std::move(part.metrics[i].name);
        track.points.insert(track.points.end(), part.metrics[i].points.begin(), part.metrics[i].points.end());
    }
    whole.sizes.insert(whole.sizes.end(), part.sizes.begin(), part.sizes.end());
    whole.is_part_of_log = whole.is_part_of_log || part.is_part_of_log;
    std::move(part.decisions.begin(), part.decisions.end(), std::back_inserter(whole.decisions));
    whole.notes.points += part.notes.points;
    whole.notes.unordered += part.notes.unordered;
    whole.notes.not_a_number += part.notes.not_a_number;
    whole.notes.failed_reads += part.notes.failed_reads;
    whole.notes.skipped_lines += part.notes.skipped_lines;
    whole.tidied = false;
    return {};
}

result<void> tidy(recording& recording) {
    if (recording.tidied) return {};
    input_notes& notes = recording.notes;
    notes.points = notes.gaps = notes.longest_gap_ms = notes.step_ms = 0;
    notes.first_ms = latest_ms;
    notes.last_ms = 0;
    for (metric_track& metric : recording.metrics) {
        notes.duplicates += sort_and_drop(metric.points);
        notes.points += static_cast<std::int64_t>(metric.points.size());
        if (metric.points.empty()) continue;
        notes.first_ms = std::min(notes.first_ms, metric.points.front().time_ms);
        notes.last_ms = std::max(notes.last_ms, metric.points.back().time_ms);
        if (notes.step_ms == 0) notes.step_ms = median_distance_ms(metric.points);
        measure_gaps(metric.points, notes);
    }
    if (notes.points == 0 && !recording.decisions.empty())
        return fail(
            status::no_data,
            "series: the log has decisions without the values of the metrics, as --log-form compact writes them; "
            "use a log of gputided run --log all --log-form full");
    if (notes.points == 0)
        return fail(status::no_data,
                    "series: it has no points; check the query, the time range and the file's columns");
    sort_and_drop(recording.sizes);
    sort_stably(recording.decisions,
                [](const logged_decision& a, const logged_decision& b) { return a.time_ms < b.time_ms; });
    recording.tidied = true;
    return {};
}

void write_quality(json_writer& out, const input_notes& notes) {
    out.member("step_ms", notes.step_ms).member("gaps", notes.gaps).member("longest_gap_ms", notes.longest_gap_ms);
    out.member("duplicates", notes.duplicates).member("unordered", notes.unordered);
    out.member("not_a_number", notes.not_a_number).member("failed_reads", notes.failed_reads);
}

std::string notes_json(const recording& recording) {
    const input_notes& notes = recording.notes;
    json_writer out;
    out.begin_object().member("points", notes.points);
    out.member("from", format_rfc3339_ms(notes.first_ms)).member("to", format_rfc3339_ms(notes.last_ms));
    write_quality(out, notes);
    out.member("sizes", recording.sizes.size()).member("decisions", recording.decisions.size());
    out.member("skipped_lines", notes.skipped_lines);
    out.key("metrics").begin_array();
    for (const metric_track& metric : recording.metrics)
        out.begin_object().member("name", metric.name).member("points", metric.points.size()).end_object();
    return out.end_array().end_object().take();
}

error at_line(std::int64_t line, const std::string& message) {
    error out = fail_at(status::invalid, format_text("line {}", line), message);
    out.fields.emplace_back("line", std::to_string(line));
    return out;
}

}  // namespace gputide::replay
