#include "common/state_file.hpp"

#include "common/files.hpp"
#include "common/json.hpp"
#include "common/log.hpp"
#include "common/times.hpp"

#include <exception>
#include <optional>
#include <stdexcept>

namespace gputided {

namespace {

bool is_ours(const json& file) {
    return file.is_object() && file.contains("gputided") && file.at("gputided") == 1 && file.contains("scalers") &&
           file.at("scalers").is_object();
}

std::int32_t count_at(const json& object, const char* member) {
    const json& value = object.at(member);
    const std::optional<std::int32_t> count = replica_count(value);
    if (!count) throw std::invalid_argument(std::string(member) + ": expected a replica count, got " + value.dump());
    return *count;
}

// Throws if a member is missing that fleet::finish_interrupted_write() needs.
void check_decision(const json& report) {
    for (const char* member : {"current_replicas", "desired_replicas"}) static_cast<void>(count_at(report, member));
    static_cast<void>(text_at(report, "source"));
    static_cast<void>(report.value("event", ""));
    static_cast<void>(parse_time_ms(text_at(report, "time")));
}

usage_error damaged(const std::string& path, const std::string& name, const std::exception& reason) {
    return usage_error(path + ": " + name + " is damaged (" + reason.what() +
                       "); move the file away to start with a new state");
}

saved_scaler scaler_of(const json& entry) {
    saved_scaler out;
    out.state = entry.at("state");
    out.replicas = count_at(entry, "replicas");
    out.file = entry.value("file", "");
    if (!entry.contains("under_way")) return out;
    const json& decision = entry.at("under_way");
    check_decision(decision);
    out.under_way = decision.dump();
    return out;
}

json entry_of(const saved_scaler& scaler) {
    json out{{"state", scaler.state}, {"replicas", scaler.replicas}};
    if (!scaler.file.empty()) out["file"] = scaler.file;
    if (!scaler.under_way.empty()) out["under_way"] = json::parse(scaler.under_way);
    return out;
}

}  // namespace

saved_scalers read_states(const std::string& path) {
    const auto file = json::parse(read_text(path, max_state_bytes), nullptr, false);
    if (!is_ours(file)) {
        throw usage_error(path +
                          ": is not a state file of this gputided (a newer release may have written it); move it away "
                          "to start with a new state");
    }
    saved_scalers out;
    for (const auto& [name, entry] : file.at("scalers").items()) {
        try {
            out[name] = scaler_of(entry);
        } catch (const std::exception& wrong) {
            throw damaged(path, name, wrong);
        }
    }
    return out;
}

void write_states(const std::string& path, const saved_scalers& scalers) {
    json entries = json::object();
    for (const auto& [name, scaler] : scalers) entries[name] = entry_of(scaler);
    replace_text(path, dumped(json{{"gputided", 1}, {"scalers", std::move(entries)}}) + "\n");
}

}  // namespace gputided
