#include "target.hpp"

#include "child.hpp"
#include "commands.hpp"
#include "log.hpp"

#include <nlohmann/json.hpp>

#include <limits>
#include <map>

namespace gputided {
namespace {

using variables = std::map<std::string, std::string>;

variables names_of(const std::string& scaler) {
    const std::size_t slash = scaler.find('/');
    return {{"GPUTIDE_NAMESPACE", scaler.substr(0, slash)}, {"GPUTIDE_NAME", scaler.substr(slash + 1)}};
}

// A replica count, `absent` where the member is not there; nothing for anything else.
std::optional<std::int32_t> count_of(const nlohmann::json& from, const char* member,
                                     std::optional<std::int32_t> absent) {
    if (!from.contains(member)) return absent;
    const nlohmann::json& value = from.at(member);
    if (!value.is_number_unsigned()) return std::nullopt;
    const auto count = value.get<std::uint64_t>();
    if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) return std::nullopt;
    return static_cast<std::int32_t>(count);
}

std::optional<target_size> size_of(const std::string& output) {
    const auto json = nlohmann::json::parse(output, nullptr, false);
    if (!json.is_object()) return std::nullopt;
    const auto spec = count_of(json, "spec", std::nullopt);
    const auto status = count_of(json, "status", -1);
    const auto ready = count_of(json, "ready", -1);
    if (!spec || !status || !ready) return std::nullopt;
    return target_size{*spec, *status, *ready};
}

std::optional<target_size> observe(const std::string& command, const std::string& scaler, const child_limits& within) {
    const child_result ran = run_child(command, names_of(scaler), "", within);
    if (!ran.ok) {
        log_line(scaler + ": --observe failed: " + ran.why);
        return std::nullopt;
    }
    const std::optional<target_size> size = size_of(ran.output);
    if (!size) {
        // Its output stays out of the log: nobody knows what is in it.
        log_line(scaler +
                 ": --observe: expected {\"spec\":N,\"status\":N,\"ready\":N} on its standard output (status and " +
                 "ready may be left out), got " + std::to_string(ran.output.size()) + " bytes of something else");
    }
    return size;
}

bool execute(const std::string& command, const std::string& scaler, const gputide::decision& next,
             const std::string& report, const child_limits& within) {
    variables with = names_of(scaler);
    with["GPUTIDE_CURRENT"] = std::to_string(next.current());
    with["GPUTIDE_DESIRED"] = std::to_string(next.desired());
    const child_result ran = run_child(command, with, report + "\n", within);
    if (!ran.ok) {
        log_line(scaler + ": --exec failed for " + with["GPUTIDE_CURRENT"] + " -> " + with["GPUTIDE_DESIRED"] + ": " +
                 ran.why + "; the next tick decides again");
    }
    return ran.ok;
}

}  // namespace

target target_by_commands(const run_options& from, int stop_fd) {
    const child_limits within{from.child_timeout_ms, stop_fd};
    target out;
    if (!from.observe.empty()) {
        out.read = [command = from.observe, within](const std::string& scaler) {
            return observe(command, scaler, within);
        };
    }
    if (!from.dry_run) {
        out.write = [command = from.exec, within](const std::string& scaler, const gputide::decision& next,
                                                  const std::string& report) {
            return execute(command, scaler, next, report, within);
        };
    }
    return out;
}

}  // namespace gputided
