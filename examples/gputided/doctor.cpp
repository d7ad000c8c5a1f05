// gputided doctor: what is wrong with the triggers of the manifests, step by step, and what to do about it.
#include "commands.hpp"
#include "files.hpp"
#include "times.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <utility>

namespace gputided {
namespace {

bool fails(const std::string& report) { return nlohmann::json::parse(report).at("verdict") == "failed"; }

int examine(const std::string& name, const doctor_options& from, const std::vector<manifest_file>& files) {
    gputide::observation seen;
    seen.at(unix_now_ms()).current(from.current);
    if (from.ready >= 0) seen.ready(from.ready);
    const gputide::diagnosis found =
        gputide::doctor(files.front().text, library_options(from.common, files).scaler(name),
                        from.current >= 0 ? &seen : nullptr, from.timeout_ms);
    std::cout << (from.common.json() ? found.report + "\n" : found.lines) << std::flush;
    return fails(found.report) ? finding : done;
}

}  // namespace

int doctor(const doctor_options& from) {
    const std::vector<manifest_file> files = read_manifests(from.common);
    int worst = done;
    bool first = true;
    for (const std::string& name : scaler_names(from.common, files)) {
        if (!std::exchange(first, false) && !from.common.json()) std::cout << "\n";
        worst = std::max(worst, examine(name, from, files));
    }
    return worst;
}

}  // namespace gputided
