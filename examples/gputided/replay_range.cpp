#include "replay_range.hpp"

#include "files.hpp"
#include "log.hpp"
#include "times.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace gputided {
namespace {

using json = nlohmann::json;
constexpr std::int64_t points_per_query = 10'000;
const char* const cache_mark = "# gputided replay cache ";
const char* const piece_mark = "# fetched until ";

struct piece {
    std::int64_t from_ms = 0;
    std::int64_t to_ms = 0;  // included
};

// What a cache holds: whole pieces of the same scaler, metrics and step, from from_ms on.
struct cached {
    std::string text;
    piece range;
    bool usable = false;
};

// 64-bit FNV-1a (Fowler, Noll, Vo): another manifest is another cache.
std::string fingerprint(const std::vector<manifest_file>& files) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const manifest_file& one : files) {
        for (const char letter : one.text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
    }
    char out[17];
    std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(hash));
    return out;
}

std::string cache_heading(const std::string& scaler, const std::vector<manifest_file>& files, std::int64_t step_ms,
                          std::int64_t from_ms) {
    const json about = {
        {"scaler", scaler}, {"manifest", fingerprint(files)}, {"step_ms", step_ms}, {"from_ms", from_ms}};
    return cache_mark + about.dump() + "\n";
}

// Everything behind the last mark was under way when the last run ended.
cached read_cache(const replay_options& from, const std::string& heading_start, const piece& wanted,
                  std::int64_t step_ms) {
    cached out;
    if (from.cache.empty() || !exists(from.cache)) return out;
    std::string text = read_text(from.cache, most_series_bytes);
    if (text.rfind(cache_mark, 0) != 0) {
        throw usage_error("--cache " + from.cache + ": this file is no cache of gputided; name another one");
    }
    const std::string heading = text.substr(0, text.find('\n'));
    const json about = json::parse(heading.substr(std::string(cache_mark).size()), nullptr, false);
    const json want = json::parse(heading_start.substr(std::string(cache_mark).size()), nullptr, false);
    const std::size_t mark = text.rfind(piece_mark);
    if (!about.is_object() || mark == std::string::npos || text.find('\n', mark) == std::string::npos) return out;
    for (const char* member : {"scaler", "manifest", "step_ms"}) {
        if (!about.contains(member) || about[member] != want[member]) return out;
    }
    if (!about.contains("from_ms") || !about["from_ms"].is_number_integer()) return out;
    out.range.from_ms = about["from_ms"];
    out.range.to_ms = std::atoll(text.c_str() + mark + std::string(piece_mark).size());
    out.usable = out.range.from_ms <= wanted.from_ms && out.range.to_ms + step_ms >= wanted.from_ms;
    out.text = text.substr(0, text.find('\n', mark) + 1);
    return out;
}

class progress {
  public:
    explicit progress(std::int64_t pieces) : pieces_(pieces), terminal_(::isatty(STDERR_FILENO) == 1) {}
    void done(std::int64_t piece, std::int64_t points) const {
        const std::string text = "replay: " + std::to_string(piece) + " of " + std::to_string(pieces_) +
                                 " pieces fetched, " + std::to_string(points) + " points";
        if (!terminal_) return log_line(text);
        std::fprintf(stderr, "\r%s%s", text.c_str(), piece == pieces_ ? "\n" : "");
    }

  private:
    std::int64_t pieces_;
    bool terminal_;
};

std::string without_heading(const std::string& csv) { return csv.substr(csv.find('\n') + 1); }

}  // namespace

void fetch_past(const replay_options& from, const std::string& scaler, const std::vector<manifest_file>& files,
                gputide::series& into) {
    const std::int64_t now_ms = unix_now_ms();
    const std::int64_t step_ms = parse_duration_ms(from.step, "--step");
    if (step_ms <= 0) throw usage_error("--step " + from.step + ": expected more than 0");
    const auto aligned = [&](std::int64_t time_ms) { return time_ms / step_ms * step_ms; };
    piece wanted{aligned(parse_moment_ms(from.from, now_ms, "--from")),
                 aligned(from.to.empty() ? now_ms : parse_moment_ms(from.to, now_ms, "--to"))};
    if (wanted.from_ms < 0 || wanted.to_ms <= wanted.from_ms) {
        throw usage_error("--from " + from.from + ": expected a time before --to");
    }
    gputide::scaler source = open_scaler(scaler, from.common, files);
    const std::size_t metrics = json::parse(source.metrics()).size();
    const std::string heading = cache_heading(scaler, files, step_ms, wanted.from_ms);
    const cached have = read_cache(from, heading, wanted, step_ms);
    if (have.usable) {
        into.read(0, have.text);
        replace_text(from.cache, have.text);
        wanted.from_ms = std::max(wanted.from_ms, have.range.to_ms + step_ms);
        log_line("replay: " + from.cache + " holds the first part; going on from there");
    } else if (!from.cache.empty()) {
        replace_text(from.cache, heading);
    }
    const std::int64_t each_ms = step_ms * points_per_query;
    const std::int64_t pieces = wanted.to_ms < wanted.from_ms ? 0 : (wanted.to_ms - wanted.from_ms) / each_ms + 1;
    const progress told(pieces);
    bool first = !have.usable;
    std::int64_t points = 0;
    for (std::int64_t number = 0; number < pieces; ++number) {
        const std::int64_t start_ms = wanted.from_ms + number * each_ms;
        const std::int64_t end_ms = std::min(start_ms + each_ms - step_ms, wanted.to_ms);
        gputide::series part;
        for (std::uint32_t metric = 0; metric < metrics; ++metric) {
            part.fetch(source, metric, start_ms, end_ms, step_ms, from.timeout_ms);
        }
        const std::string csv = part.write();
        into.read(0, csv);
        if (!from.cache.empty()) {
            append_text(from.cache, (first ? csv : without_heading(csv)) + piece_mark + std::to_string(end_ms) + "\n");
        }
        first = false;
        points += (end_ms - start_ms) / step_ms + 1;
        told.done(number + 1, points);
    }
}

}  // namespace gputided
