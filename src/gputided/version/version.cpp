#include "version/version.hpp"

#include "common/exit_status.hpp"
#include "common/shared_options.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace gputided {
namespace {

int version(const shared_options& options) {
    if (options.json()) {
        std::cout << gputide_build_info() << "\n";
        return done;
    }
    std::cout << "gputide " << gputide_version() << " (ABI " << gputide_abi_version() << ")\n";
    const auto built = nlohmann::ordered_json::parse(gputide_build_info());
    for (const auto& [name, value] : built.items()) {
        if (name == "version" || name == "abi") continue;
        std::cout << name << ": " << (value.is_string() ? value.get<std::string>() : value.dump()) << "\n";
    }
    return done;
}

void add_flags(CLI::App& app, shared_options& options) {
    add_output_flag(app, options);
    app.add_flag_callback(
        "--json", [&options] { options.output = "json"; }, "as --output json");
}

}  // namespace

void add_version(subcommands& commands) {
    commands.add("version", "Versions of gputide and of what it is built with", "gputided version --json", &version,
                 &add_flags);
}

}  // namespace gputided
