// The subcommands.  Each returns an exit code; what keeps it from starting comes as gputide::failure (of the library) or
// usage_error.
#pragma once

#include "options.hpp"

#include <cstdint>
#include <string>

namespace gputided {

struct eval_options {
    options common;
    std::int32_t current = 0;
    std::int32_t ready = -1;  // -1: as current
    std::string at;           // RFC 3339 or Unix milliseconds; "": now
    std::string state;        // read, not written
    std::int32_t timeout_ms = 10'000;
};
int eval(const eval_options& from);

struct check_options {
    options common;
    bool fail_on_warning = false;
};
int check(const check_options& from);

struct doctor_options {
    options common;
    std::int32_t current = -1;  // -1: the manifest's minimum
    std::int32_t ready = -1;    // -1: as current
    std::int32_t timeout_ms = 20'000;
};
int doctor(const doctor_options& from);

struct token_options {
    options common;
    std::string scope = "https://prometheus.monitor.azure.com/.default";
    std::string credential = "provider: azure-default";  // "@FILE": from there
    bool show_token = false;
    std::int32_t timeout_ms = 30'000;
};
int token(const token_options& from);

int version(const options& from);

struct run_options {
    options common;
    bool dry_run = false;
    std::string exec;           // how to write a replica count
    std::string observe;        // how to read the counts; "": what was last written
    std::int32_t current = -1;  // -1: --observe or --state tells, or it is 1
    std::string listen = "127.0.0.1:9105";
    std::string state;
    std::int32_t timeout_ms = 10'000;
    std::int32_t child_timeout_ms = 30'000;
};
int run(const run_options& from);

}  // namespace gputided
