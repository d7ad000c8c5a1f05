#include "replay/cache.hpp"

#include "common/exit_status.hpp"
#include "common/files.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace gputided {
namespace {

using json = nlohmann::json;

constexpr std::string_view cache_mark = "# gputided replay cache ";
constexpr std::string_view piece_mark = "# fetched until ";

// 64-bit FNV-1a (Fowler, Noll, Vo): another manifest is another cache.
std::string fingerprint(const std::vector<manifest_file>& files) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const manifest_file& file : files) {
        for (const char letter : file.text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
    }
    char out[17];
    std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(hash));
    return out;
}

json heading_in(const std::string& text) {
    return json::parse(text.substr(cache_mark.size(), text.find('\n') - cache_mark.size()), nullptr, false);
}

bool is_same_query(const json& heading, const json& wanted) {
    if (!heading.is_object() || !heading.contains("from_ms") || !heading["from_ms"].is_number_integer()) return false;
    for (const char* member : {"scaler", "manifest", "step_ms"}) {
        if (!heading.contains(member) || heading[member] != wanted[member]) return false;
    }
    return true;
}

}  // namespace

past_cache::past_cache(std::string path, const std::string& scaler, const std::vector<manifest_file>& files,
                       std::int64_t step_ms, const time_span& wanted)
    : path_(std::move(path)) {
    const json about = {
        {"scaler", scaler}, {"manifest", fingerprint(files)}, {"step_ms", step_ms}, {"from_ms", wanted.from_ms}};
    heading_ = std::string(cache_mark) + about.dump() + "\n";
    if (!path_.empty() && exists(path_)) read(read_text(path_, most_series_bytes), step_ms, wanted.from_ms);
}

// Everything behind the last mark was under way when the last run ended.
void past_cache::read(const std::string& text, std::int64_t step_ms, std::int64_t wanted_from_ms) {
    if (text.rfind(cache_mark, 0) != 0) {
        throw usage_error("--cache " + path_ + ": this file is no cache of gputided; name another one");
    }
    const json heading = heading_in(text);
    const std::size_t mark = text.rfind(piece_mark);
    if (mark == std::string::npos || text.find('\n', mark) == std::string::npos) return;
    if (!is_same_query(heading, heading_in(heading_))) return;
    const std::int64_t from_ms = heading["from_ms"];
    const std::int64_t until_ms = std::atoll(text.c_str() + mark + piece_mark.size());
    if (from_ms > wanted_from_ms || until_ms + step_ms < wanted_from_ms) return;
    until_ms_ = until_ms;
    text_ = text.substr(0, text.find('\n', mark) + 1);
    has_columns_ = true;
}

void past_cache::begin() const {
    if (!path_.empty()) replace_text(path_, holds_some() ? text_ : heading_);
}

void past_cache::add(const std::string& csv, std::int64_t until_ms) {
    if (path_.empty()) return;
    const std::size_t first_row = has_columns_ ? csv.find('\n') + 1 : 0;
    append_text(path_, csv.substr(first_row) + std::string(piece_mark) + std::to_string(until_ms) + "\n");
    has_columns_ = true;
}

}  // namespace gputided
