// gputided replay: recorded metrics through the decision code.
#include "commands.hpp"
#include "files.hpp"
#include "replay_html.hpp"
#include "replay_input.hpp"
#include "replay_text.hpp"

#include <iostream>

namespace gputided {
namespace {

using json = nlohmann::json;

int told_verification(const json& report, bool as_json) {
    const json& found = report.at("verification");
    const bool all = found.at("same") == found.at("decisions");
    if (as_json) {
        std::cout << report.dump() << "\n";
    } else {
        std::cout << report.at("namespace").get<std::string>() << "/" << report.at("name").get<std::string>() << ": "
                  << found.at("same") << " of " << found.at("decisions") << " decisions come out as they were logged\n";
        if (!all) std::cout << "first difference: " << found.at("first_difference").get<std::string>() << "\n";
    }
    return all ? done : finding;
}

}  // namespace

int replay(const replay_options& from) {
    const std::vector<manifest_file> files = read_manifests(from.common);
    const std::string scaler = one_scaler(from.common, files);
    const json settings = replay_settings(from);
    gputide::options with = library_options(from.common, files);
    gputide::replay run = gputide::replay::open(files.front().text, settings.dump(), with.scaler(scaler));
    const gputide::series over = read_series(from, scaler, files);
    run.run(over);
    const std::string report = run.report();
    if (!from.verify.empty()) return told_verification(json::parse(report), from.common.json());
    if (!from.html.empty()) replace_text(from.html, replay_html(json::parse(report)));
    std::cout << (from.common.json() ? report + "\n" : replay_text(json::parse(report)));
    return done;
}

}  // namespace gputided
