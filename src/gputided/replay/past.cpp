#include "replay/past.hpp"

#include "common/clock.hpp"
#include "common/exit_status.hpp"
#include "common/log.hpp"
#include "common/times.hpp"
#include "replay/cache.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace gputided {
namespace {

constexpr std::int64_t points_per_query = 10'000;

class progress {
  public:
    explicit progress(std::int64_t pieces) : pieces_(pieces), terminal_(::isatty(STDERR_FILENO) == 1) {}
    void show(std::int64_t piece, std::int64_t points) const {
        const std::string text = "replay: " + std::to_string(piece) + " of " + std::to_string(pieces_) +
                                 " pieces fetched, " + std::to_string(points) + " points";
        if (!terminal_) return log_line(text);
        std::fprintf(stderr, "\r%s%s", text.c_str(), piece == pieces_ ? "\n" : "");
    }

  private:
    std::int64_t pieces_;
    bool terminal_;
};

time_span wanted_span(const replay_options& options, std::int64_t before_ms, std::int64_t step_ms) {
    const std::int64_t now_ms = unix_now_ms();
    const auto aligned = [&](std::int64_t time_ms) { return time_ms / step_ms * step_ms; };
    time_span out{aligned(parse_moment_ms(options.from, now_ms, "--from")),
                  aligned(options.to.empty() ? now_ms : parse_moment_ms(options.to, now_ms, "--to"))};
    if (out.from_ms < 0 || out.to_ms <= out.from_ms) {
        throw usage_error("--from " + options.from + ": expected a time before --to");
    }
    out.from_ms = std::max<std::int64_t>(0, aligned(out.from_ms - before_ms));
    return out;
}

}  // namespace

void fetch_past(const replay_options& options, std::int64_t before_ms, const std::string& scaler,
                const std::vector<manifest_file>& files, gputide::series& series) {
    const std::int64_t step_ms = parse_duration_ms(options.step, "--step");
    if (step_ms <= 0) throw usage_error("--step " + options.step + ": expected more than 0");
    time_span wanted = wanted_span(options, before_ms, step_ms);
    gputide::scaler source = open_scaler(scaler, options.shared, files);
    const auto metrics = static_cast<std::uint32_t>(nlohmann::json::parse(source.metrics()).size());
    past_cache cache(options.cache, scaler, files, step_ms, wanted);
    cache.begin();
    if (cache.holds_some()) {
        series.read(0, cache.text());
        wanted.from_ms = std::max(wanted.from_ms, cache.fetched_until_ms() + step_ms);
        log_line("replay: " + options.cache + " holds the first part; going on from there");
    }
    const std::int64_t each_ms = step_ms * points_per_query;
    const std::int64_t pieces = wanted.to_ms < wanted.from_ms ? 0 : (wanted.to_ms - wanted.from_ms) / each_ms + 1;
    const progress shown(pieces);
    std::int64_t points = 0;
    for (std::int64_t number = 0; number < pieces; ++number) {
        const std::int64_t start_ms = wanted.from_ms + number * each_ms;
        const std::int64_t end_ms = std::min(start_ms + each_ms - step_ms, wanted.to_ms);
        gputide::series piece;
        for (std::uint32_t metric = 0; metric < metrics; ++metric) {
            piece.fetch(source, metric, start_ms, end_ms, step_ms, options.timeout_ms);
        }
        const std::string csv = piece.write();
        series.read(0, csv);
        cache.add(csv, end_ms);
        points += (end_ms - start_ms) / step_ms + 1;
        shown.show(number + 1, points);
    }
}

}  // namespace gputided
