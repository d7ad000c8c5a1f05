// Explains ages and repeated values.
#include "base/format_text.hpp"
#include "base/time.hpp"
#include "doctor/judge.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace gputide::doctor {

namespace {

constexpr std::int64_t old_ms = 60'000;  // one scrape per minute is the slowest common interval

const char* const collect_fix =
    "Start dcgm-exporter with -c 1000 (DCGM_EXPORTER_INTERVAL=1000, milliseconds; the default is 30000), and scrape it "
    "as often as decisions are needed.";

const char* old_cause(const evidence& seen) {
    return seen.is_query()
               ? "The scrape of that target stopped or is slow. For up to five minutes after the last sample "
                 "an instant query still returns that sample as if it were new."
               : "The value was last renewed at that time: the process that reports it stopped, or is slow.";
}

std::string where_to_look(const evidence& seen) {
    return seen.is_query() ? "Check when the target was last scraped (Prometheus' /targets, the exporter's log)"
                           : "Check when the process that reports the value last did so";
}

step stale(const evidence& seen) {
    return broken(step_name::age, seen.fetched.why.message, old_cause(seen),
                  where_to_look(seen) + ". The value was rejected because of gputide.io/max-sample-age.");
}

step old(const evidence& seen, const std::string& text) {
    return doubtful(
        step_name::age, text, old_cause(seen),
        where_to_look(seen) + ", and set gputide.io/max-sample-age (such as 30s), so that an old value is ignored.");
}

step repeated(const evidence& seen, const std::string& text) {
    step out =
        doubtful(step_name::age,
                 format_text("{}; new values arrive every {}, although the metric is scraped every {}", text,
                             about_duration(seen.behind.tempo.renew_ms), about_duration(seen.behind.tempo.scrape_ms)),
                 "The exporter collects less often than it is scraped: samples repeat, and each decision is "
                 "late by up to that interval.",
                 "Configure the server of the metric to renew it more often.");
    if (std::string_view(seen.behind.metric).starts_with("DCGM_")) out.fix = collect_fix;
    return out;
}

step unmoved(const evidence& seen) {
    return doubtful(
        step_name::age,
        format_text("nothing on the page changed for {}, not even the energy counter, and the page has no timestamps",
                    format_duration_ms(seen.behind.tempo.watched_ms)),
        "The exporter collects less often than that: by default every 30 s, so a value is up to 30 s old when it is "
        "read.",
        collect_fix);
}

const char* no_time(const evidence& seen) {
    return seen.is_query() ? "unknown: the query's result is not based on a sample"
                           : "read just now; the source provides no timestamps";
}

}  // namespace

step judge_age(const evidence& seen) {
    const sample& read = seen.fetched.sample;
    if (read.state == sample_state::stale) return stale(seen);
    // A source's own time is that of the last renewal, so the tempo tells nothing more.
    const bool has_time = !seen.is_query() && read.time_ms != 0 && read.time_ms < seen.now_ms;
    const tempo tempo = has_time ? doctor::tempo() : seen.behind.tempo;
    const std::optional<std::int64_t> oldest_ms = has_time ? read.time_ms : seen.behind.oldest_ms;
    const std::int64_t age_ms = oldest_ms ? seen.now_ms - *oldest_ms : 0;
    const std::string text = !oldest_ms       ? no_time(seen)
                             : age_ms < 1'000 ? "the oldest sample is less than 1 s old"
                                              : format_text("the oldest sample is {} old", about_duration(age_ms));
    step out = passed(step_name::age, text);
    if (age_ms > old_ms) {
        out = old(seen, text);
    } else if (tempo.pace == pace::slow) {
        out = tempo.watched_ms > 0 ? unmoved(seen) : repeated(seen, text);
    } else if (tempo.pace == pace::unclear) {
        out.seen += "; too few changes to tell how often new values arrive";
    }
    if (oldest_ms) out.add_detail("oldest", format_rfc3339_ms(*oldest_ms));
    if (tempo.scrape_ms > 0) out.add_detail("scrape_interval", format_duration_ms(tempo.scrape_ms));
    if (tempo.renew_ms > 0) out.add_detail("renewal_interval", format_duration_ms(tempo.renew_ms));
    return out;
}

// Medians and extremes of distances.

namespace {

constexpr std::size_t min_distances = 3;  // of points
// Minimum number of gaps between changes.  A value that changes at random in three of ten scrapes (15 s) has four equal gaps in
// five minutes once in 170 times.  A collector at every fourth scrape (60 s) has as many gaps.
constexpr std::size_t min_gaps = 4;
constexpr std::int64_t lively_ms = 5'000;  // new values this often are quick, with any scrape interval
constexpr std::int64_t steady_ms = 60'000;

using change_times = std::set<std::int64_t>;
using scrape_target = std::pair<std::string_view, std::string_view>;

scrape_target target_of(const source::labels& labels) {
    return {label_value(labels, "job"), label_value(labels, "instance")};
}

std::vector<std::int64_t> gaps_between(const change_times& all) {
    std::vector<std::int64_t> out;
    for (auto at = all.begin(); at != all.end() && std::next(at) != all.end(); ++at) {
        out.push_back(*std::next(at) - *at);
    }
    return out;
}

std::int64_t median(std::vector<std::int64_t> of) {
    const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
    std::nth_element(of.begin(), middle, of.end());
    return *middle;
}

std::int64_t scrape_interval(const std::vector<source::series>& past) {
    std::vector<std::int64_t> distances;
    for (const source::series& series : past) {
        for (std::size_t i = 1; i < series.points.size(); ++i) {
            distances.push_back(series.points[i].time_ms - series.points[i - 1].time_ms);
        }
    }
    return distances.size() < min_distances ? 0 : median(std::move(distances));
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void note_changes(const std::vector<source::point>& points, change_times& to) {
    for (std::size_t i = 1; i < points.size(); ++i) {
        if (!same(points[i].value, points[i - 1].value)) to.insert(points[i].time_ms);
    }
}

// Tells the pace from the gaps between changes.  A change is visible at the first scrape after its collection, so two gaps of one
// collector differ by up to one scrape interval; half an interval more allows for late scrapes.
pace pace_of(const std::vector<std::int64_t>& gaps, std::int64_t scrape_ms) {
    if (gaps.empty()) return pace::unclear;
    const auto [shortest, longest] = std::minmax_element(gaps.begin(), gaps.end());
    const std::int64_t clear_ms = scrape_ms * 3 / 2;
    if (*shortest <= lively_ms || *shortest < clear_ms) return pace::quick;
    const bool even = *longest - *shortest <= clear_ms;
    return even && gaps.size() >= min_gaps ? pace::slow : pace::unclear;
}

}  // namespace

tempo measure(const std::vector<source::series>& past) {
    tempo out;
    out.pace = pace::unclear;
    out.scrape_ms = scrape_interval(past);
    if (out.scrape_ms == 0) return out;
    std::map<scrape_target, change_times> changes;
    for (const source::series& series : past) note_changes(series.points, changes[target_of(series.labels)]);
    for (const auto& [from, at] : changes) {
        const std::vector<std::int64_t> gaps = gaps_between(at);
        const pace found = pace_of(gaps, out.scrape_ms);
        out.pace = std::max(out.pace, found);
        if (found != pace::slow) continue;
        const std::int64_t renew_ms = median(gaps);
        out.renew_ms = out.renew_ms == 0 ? renew_ms : std::min(out.renew_ms, renew_ms);
    }
    if (out.pace != pace::slow) out.renew_ms = 0;
    return out;
}

bool always(const std::vector<source::series>& past, double value) {
    std::int64_t longest_ms = 0;
    for (const source::series& series : past) {
        for (const source::point& at : series.points) {
            if (at.value != value) return false;
        }
        if (!series.points.empty()) {
            longest_ms = std::max(longest_ms, series.points.back().time_ms - series.points.front().time_ms);
        }
    }
    return longest_ms >= steady_ms;
}

}  // namespace gputide::doctor
