#include "run/commands/target_access.hpp"

#include "common/log.hpp"
#include "common/text.hpp"
#include "run/commands/child.hpp"
#include "run/run.hpp"

#include <nlohmann/json.hpp>

#include <limits>
#include <map>

namespace gputided {
namespace {

using variables = std::map<std::string, std::string>;

variables variables_of(const target_name& name) {
    const scaler_name scaler = split_name(name.scaler);
    return {{"GPUTIDE_NAMESPACE", scaler.space}, {"GPUTIDE_NAME", scaler.name}, {"GPUTIDE_TARGET", name.target}};
}

std::optional<std::int32_t> count_of(const nlohmann::json& value) {
    if (!value.is_number_unsigned()) return std::nullopt;
    const auto count = value.get<std::uint64_t>();
    if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) return std::nullopt;
    return static_cast<std::int32_t>(count);
}

// -1 where the member is not there; nothing where it is no replica count.
std::optional<std::int32_t> optional_count(const nlohmann::json& object, const char* member) {
    return object.contains(member) ? count_of(object.at(member)) : std::int32_t{-1};
}

// "4", or {"spec":4,"status":4,"ready":3}.
std::optional<target_size> size_of(const std::string& output) {
    const auto printed = nlohmann::json::parse(output, nullptr, false);
    if (const auto count = count_of(printed)) return target_size{*count};
    if (!printed.is_object() || !printed.contains("spec")) return std::nullopt;
    const auto spec = count_of(printed.at("spec"));
    const auto status = optional_count(printed, "status");
    const auto ready = optional_count(printed, "ready");
    if (!spec || !status || !ready) return std::nullopt;
    return target_size{*spec, *status, *ready};
}

std::optional<target_size> observe(const std::string& command, const target_name& name, const child_limits& limits) {
    const child_result ran = run_child(command, variables_of(name), "", limits);
    if (!ran.ok) {
        log_line(name.scaler + ": --observe failed: " + ran.reason);
        return std::nullopt;
    }
    const std::optional<target_size> size = size_of(ran.output);
    if (!size) {
        // Its output stays out of the log: nobody knows what is in it.
        log_line(name.scaler +
                 ": --observe: expected a replica count or {\"spec\":N,\"status\":N,\"ready\":N} on its standard "
                 "output (status and ready may be left out), got " +
                 std::to_string(ran.output.size()) + " bytes of something else");
    }
    return size;
}

bool execute(const std::string& command, const target_name& name, const gputide::decision& decision,
             const std::string& report, const child_limits& limits) {
    variables environment = variables_of(name);
    environment["GPUTIDE_CURRENT"] = std::to_string(decision.current());
    environment["GPUTIDE_DESIRED"] = std::to_string(decision.desired());
    const child_result ran = run_child(command, environment, report + "\n", limits);
    if (!ran.ok) {
        log_line(name.scaler + ": --exec failed for " + environment["GPUTIDE_CURRENT"] + " -> " +
                 environment["GPUTIDE_DESIRED"] + ": " + ran.reason + "; the next tick decides again");
    }
    return ran.ok;
}

}  // namespace

target_access access_by_commands(const run_options& options, int stop_fd) {
    const child_limits limits{options.child_timeout_ms, stop_fd};
    target_access out;
    if (!options.observe.empty()) {
        out.read = [command = options.observe, limits](const target_name& name) {
            return observe(command, name, limits);
        };
    }
    if (!options.dry_run) {
        out.write = [command = options.exec, limits](const target_name& name, const gputide::decision& decision,
                                                     const std::string& report) {
            return execute(command, name, decision, report, limits);
        };
    }
    return out;
}

}  // namespace gputided
