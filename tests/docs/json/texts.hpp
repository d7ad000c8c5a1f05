// Drives the library until each member of each of its JSON texts has come out, and prints them: one line a text, its name in
// docs/json.md, a tab, the JSON.
#pragma once

#include "gputide/gputide.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>

inline constexpr std::int64_t start_ms = 1795255200000;  // 2026-11-21T10:00:00Z
inline constexpr std::int32_t timeout_ms = 20'000;       // of a call that is answered at once

// The answer of json_test.py's server follows from the query: "up", "many", "empty", "refused", "throttled", "slow".
struct surroundings {
    std::string server;   // "http://127.0.0.1:8080"
    std::string token;    // a JWT
    std::string cluster;  // "https://127.0.0.1:6443", the same server as an API server
    std::string ca_file;  // of that
};

void show(const std::string& name, const std::string& json);

// The detail of the error that the call is expected to fail with.
template <class Call>
void show_error(Call call) {
    try {
        call();
    } catch (const gputide::failure& failure) {
        show("error", failure.error().detail);
        return;
    }
    throw std::logic_error("a call that had to fail did not");
}

// {"type":"prometheus",...} with that query.
std::string prometheus_trigger(const surroundings& around, const std::string& query, const std::string& more = "");
std::string scaled_object(const std::string& name, const std::string& triggers, const std::string& spec = "",
                          const std::string& annotations = "");
std::string autoscaler(const std::string& name, const std::string& metrics, const std::string& annotations = "");

void show_decisions();
void show_sources(const surroundings& around);
void show_scalers(const surroundings& around);
void show_replays();
void show_forecasts();
void show_nodes();
void show_jobs();
void show_rightsizing();
void show_cluster(const surroundings& around);
void show_agent_pools(const surroundings& around);
