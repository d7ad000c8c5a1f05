#include "state_file.hpp"

#include "files.hpp"
#include "options.hpp"

#include <nlohmann/json.hpp>

#include <exception>
#include <limits>
#include <stdexcept>

namespace gputided {
namespace {

constexpr std::uint64_t most_replicas = std::numeric_limits<std::int32_t>::max();

bool is_ours(const nlohmann::json& file) {
    return file.is_object() && file.contains("gputided") && file.at("gputided") == 1 && file.contains("scalers") &&
           file.at("scalers").is_object();
}

std::int32_t count_at(const nlohmann::json& from, const char* member) {
    const nlohmann::json& value = from.at(member);
    const bool good = value.is_number_unsigned() && value.get<std::uint64_t>() <= most_replicas;
    if (!good) throw std::invalid_argument(std::string(member) + ": expected a replica count, got " + value.dump());
    return value.get<std::int32_t>();
}

// Throws where what a reader of the decision needs is not there.
void check_decision(const nlohmann::json& report) {
    for (const char* member : {"current_replicas", "desired_replicas"}) static_cast<void>(count_at(report, member));
    static_cast<void>(report.at("source").get<std::string>());
}

usage_error damaged(const std::string& path, const std::string& name, const std::exception& why) {
    return usage_error(path + ": " + name + " is damaged (" + why.what() + "); move the file away to start afresh");
}

saved_scaler scaler_of(const nlohmann::json& from) {
    saved_scaler out;
    out.state = from.at("state");
    out.replicas = count_at(from, "replicas");
    if (!from.contains("under_way")) return out;
    const nlohmann::json& decision = from.at("under_way");
    check_decision(decision);
    out.under_way = decision.dump();
    return out;
}

}  // namespace

states read_states(const std::string& path) {
    const auto file = nlohmann::json::parse(read_text(path), nullptr, false);
    if (!is_ours(file)) {
        throw usage_error(path +
                          ": is no state file of gputided, or one of a newer release; move it away to start afresh");
    }
    states out;
    for (const auto& [name, one] : file.at("scalers").items()) {
        try {
            out[name] = scaler_of(one);
        } catch (const std::exception& wrong) {
            throw damaged(path, name, wrong);
        }
    }
    return out;
}

void write_states(const std::string& path, const states& all) {
    nlohmann::json scalers = nlohmann::json::object();
    for (const auto& [name, one] : all) {
        scalers[name] = {{"state", one.state}, {"replicas", one.replicas}};
        if (!one.under_way.empty()) scalers[name]["under_way"] = nlohmann::json::parse(one.under_way);
    }
    replace_text(path, nlohmann::json{{"gputided", 1}, {"scalers", std::move(scalers)}}.dump() + "\n");
}

}  // namespace gputided
