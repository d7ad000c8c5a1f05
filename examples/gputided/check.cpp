// gputided check: what a compiler would say of a manifest.  gputided version.  Neither uses the network.
#include "commands.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace gputided {
namespace {

std::string counted(int number, const char* noun) {
    return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

}  // namespace

int check(const check_options& from) {
    const std::vector<manifest_file> files = read_manifests(from.common);
    const gputide::check_result checked = gputide::check(files.front().text, library_options(from.common, files));
    const nlohmann::json found = nlohmann::json::parse(checked.report);
    const int errors = found.at("report").at("errors");
    const int warnings = found.at("report").at("warnings");
    if (from.common.json()) {
        std::cout << checked.report << "\n";
    } else {
        std::cout << checked.lines << counted(errors, "error") << ", " << counted(warnings, "warning") << "\n";
    }
    if (errors > 0) return bad_input;
    return warnings > 0 && from.fail_on_warning ? finding : done;
}

int version(const options& from) {
    if (from.json()) {
        std::cout << gputide_build_info() << "\n";
        return done;
    }
    std::cout << "gputide " << gputide_version() << " (ABI " << gputide_abi_version() << ")\n";
    const nlohmann::ordered_json built = nlohmann::ordered_json::parse(gputide_build_info());
    for (const auto& [name, value] : built.items()) {
        if (name != "version" && name != "abi") std::cout << name << ": " << value.get<std::string>() << "\n";
    }
    return done;
}

}  // namespace gputided
