// Judges ages and repetitions.
#include "doctor/age.hpp"

#include "base/format_text.hpp"
#include "base/time.hpp"

namespace gputide::doctor {
namespace {

constexpr std::int64_t old_ms = 60'000;  // a scrape a minute is the slowest that is common

const char* const collect_fix =
    "Start dcgm-exporter with -c 1000 (DCGM_EXPORTER_INTERVAL=1000, milliseconds; the default is 30000), and scrape it "
    "as "
    "often as you want to decide.";

const char* old_cause(const age& seen) {
    return seen.by_query ? "The scrape of that target stopped or is slow: up to five minutes after its last sample an "
                           "instant query still answers with it, as if it were new."
                         : "What the source reads was last renewed then: what feeds it stopped, or is slow.";
}

std::string where_to_look(const age& seen) {
    return seen.by_query ? "See when the target was last scraped (Prometheus' /targets, the exporter's log)"
                         : "See when what feeds it last did so";
}

step stale(const age& seen) {
    return broken(step_name::age, seen.said, old_cause(seen),
                  where_to_look(seen) + ". gputide.io/max-sample-age is what refused the value.");
}

step old(const age& seen, const std::string& text) {
    return doubtful(
        step_name::age, text, old_cause(seen),
        where_to_look(seen) + ", and set gputide.io/max-sample-age (30s, say) so that an old value is no value.");
}

step repeated(const age& seen, const std::string& text) {
    step out = doubtful(step_name::age,
                        format_text("{}; new numbers come every {}, though they are scraped every {}", text,
                                    about_duration(seen.tempo.renew_ms), about_duration(seen.tempo.scrape_ms)),
                        "The exporter collects less often than it is scraped, so samples repeat and each decision lags "
                        "behind by as much.",
                        "Let what serves the metric renew it more often.");
    if (seen.from_exporter) out.fix = collect_fix;
    return out;
}

step unmoved(const age& seen) {
    return doubtful(step_name::age,
                    format_text("nothing on the page moved for {}, not even the energy counter, and it tells no times",
                                format_duration_ms(seen.tempo.watched_ms)),
                    "The exporter collects less often than that: by default every 30 s, so the numbers are up to 30 s "
                    "old whenever they are read.",
                    collect_fix);
}

const char* no_time(const age& seen) {
    return seen.by_query ? "unknown: no sample stands behind the answer"
                         : "read just now; the source tells no times of its own";
}

}  // namespace

step judge_age(const age& seen) {
    if (seen.sample.state == sample_state::stale) return stale(seen);
    const std::int64_t age_ms = seen.oldest_ms ? seen.now_ms - *seen.oldest_ms : 0;
    const std::string text = !seen.oldest_ms  ? no_time(seen)
                             : age_ms < 1'000 ? "the oldest sample is less than 1 s old"
                                              : format_text("the oldest sample is {} old", about_duration(age_ms));
    step out = passed(step_name::age, text);
    if (age_ms > old_ms) {
        out = old(seen, text);
    } else if (seen.tempo.pace == pace::slow) {
        out = seen.tempo.watched_ms > 0 ? unmoved(seen) : repeated(seen, text);
    } else if (seen.tempo.pace == pace::unclear) {
        out.seen += "; too little moved to tell how often new numbers come";
    }
    if (seen.oldest_ms) out.detail.emplace_back("oldest", format_rfc3339_ms(*seen.oldest_ms));
    if (seen.tempo.scrape_ms > 0) out.detail.emplace_back("scrape_interval", format_duration_ms(seen.tempo.scrape_ms));
    if (seen.tempo.renew_ms > 0) out.detail.emplace_back("renewal_interval", format_duration_ms(seen.tempo.renew_ms));
    return out;
}

}  // namespace gputide::doctor
