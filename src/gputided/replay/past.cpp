// The past of a metric: fetched in parts that Prometheus accepts, and stored in the file of --cache.
#include "common/files.hpp"
#include "common/log.hpp"
#include "common/options.hpp"
#include "common/text.hpp"
#include "replay/replay.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputided {
namespace {

struct time_span {
    std::int64_t from_ms = 0;
    std::int64_t to_ms = 0;  // inclusive
};

constexpr std::string_view cache_mark = "# gputided replay cache ";
constexpr std::string_view piece_mark = "# fetched until ";

// Returns the 64-bit FNV-1a hash (Fowler, Noll, Vo): a changed manifest needs a new cache.
std::string fingerprint(const std::vector<manifest_file>& files) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const manifest_file& file : files) {
        for (const char letter : file.text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
    }
    char out[17];
    std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(hash));
    return out;
}

// A file with CSV for --series and comments about its content.  Each part is appended, so that a later run continues after an
// interruption.
class past_cache {
  public:
    // path "": stores nothing.  Uses an existing file if it has the same scaler, manifests and step, and does not begin later
    // than `wanted`.  Throws usage_error if the file is not a cache.
    past_cache(std::string path, const std::string& scaler, const std::vector<manifest_file>& files,
               std::int64_t step_ms, const time_span& wanted)
        : path_(std::move(path)),
          heading_{
              {"scaler", scaler}, {"manifest", fingerprint(files)}, {"step_ms", step_ms}, {"from_ms", wanted.from_ms}} {
        if (!path_.empty() && exists(path_)) read(read_text(path_, max_series_bytes));
    }

    bool has_some() const { return !text_.empty(); }
    const std::string& text() const { return text_; }            // CSV
    std::int64_t fetched_until_ms() const { return until_ms_; }  // inclusive

    // Writes the heading, or removes an incomplete part.
    void begin() const {
        if (path_.empty()) return;
        replace_text(path_, has_some() ? text_ : std::string(cache_mark) + heading_.dump() + "\n");
    }

    // Appends a part.
    void add(const std::string& csv, std::int64_t until_ms) {
        if (path_.empty()) return;
        const std::size_t first_row = has_columns_ ? csv.find('\n') + 1 : 0;
        append_text(path_, csv.substr(first_row) + std::string(piece_mark) + std::to_string(until_ms) + "\n");
        has_columns_ = true;
    }

  private:
    // Reads a cache.  Ignores text after the last mark, because the last run was interrupted there.
    void read(const std::string& text) {
        if (text.rfind(cache_mark, 0) != 0) {
            throw usage_error("--cache " + path_ + ": this file is not a cache of gputided; name another file", path_);
        }
        const std::size_t mark = text.rfind(piece_mark);
        if (mark == std::string::npos || text.find('\n', mark) == std::string::npos) return;
        const json found =
            json::parse(text.substr(cache_mark.size(), text.find('\n') - cache_mark.size()), nullptr, false);
        if (!found.is_object() || !found.value("from_ms", json()).is_number_integer()) return;
        for (const char* member : {"scaler", "manifest", "step_ms"}) {
            if (!found.contains(member) || found.at(member) != heading_.at(member)) return;
        }
        const std::int64_t wanted_ms = heading_.at("from_ms");
        const std::int64_t until_ms = std::atoll(text.c_str() + mark + piece_mark.size());
        if (integer_at(found, "from_ms") > wanted_ms || until_ms + integer_at(heading_, "step_ms") < wanted_ms) return;
        until_ms_ = until_ms;
        text_ = text.substr(0, text.find('\n', mark) + 1);
        has_columns_ = true;
    }

    std::string path_;
    json heading_;
    std::string text_;
    std::int64_t until_ms_ = 0;
    bool has_columns_ = false;
};

constexpr std::int64_t points_per_query = 10'000;

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
    const auto metrics = static_cast<std::int32_t>(json::parse(source.describe()).at("metrics").size());
    past_cache cache(options.cache, scaler, files, step_ms, wanted);
    cache.begin();
    if (cache.has_some()) {
        series.read(0, cache.text());
        wanted.from_ms = std::max(wanted.from_ms, cache.fetched_until_ms() + step_ms);
        log_line("replay: " + options.cache + " has the first part; continuing from there");
    }
    const std::int64_t each_ms = step_ms * points_per_query;
    const std::int64_t pieces = wanted.to_ms < wanted.from_ms ? 0 : (wanted.to_ms - wanted.from_ms) / each_ms + 1;
    std::int64_t points = 0;
    for (std::int64_t number = 0; number < pieces; ++number) {
        const std::int64_t start_ms = wanted.from_ms + number * each_ms;
        const std::int64_t end_ms = std::min(start_ms + each_ms - step_ms, wanted.to_ms);
        gputide::series piece;
        for (std::int32_t metric = 0; metric < metrics; ++metric) {
            piece.fetch(source, metric, start_ms, end_ms, step_ms, options.timeout_ms);
        }
        const std::string csv = piece.write();
        series.read(0, csv);
        cache.add(csv, end_ms);
        points += (end_ms - start_ms) / step_ms + 1;
        show_progress("replay: " + std::to_string(number + 1) + " of " + std::to_string(pieces) + " parts fetched, " +
                          std::to_string(points) + " points",
                      number + 1 == pieces);
    }
}

}  // namespace gputided
