// Words, texts, logs, cancel flags, quantities, tokens' claims: what needs no manifest.
#include "scenario.hpp"

namespace exhaustion {
namespace {

gputide_status words() {
    const bool known = GPUTIDE(version) != nullptr && GPUTIDE(abi_version) > 0 &&
                       GPUTIDE(api, GPUTIDE_ABI_VERSION, nullptr) != nullptr &&
                       GPUTIDE(plan_api, GPUTIDE_ABI_VERSION, nullptr) != nullptr &&
                       GPUTIDE(kubernetes_api, GPUTIDE_ABI_VERSION, nullptr) != nullptr && GPUTIDE(features) != 0 &&
                       GPUTIDE(build_info) != nullptr && GPUTIDE(status_name, 0) != nullptr &&
                       GPUTIDE(action_name, 0) != nullptr && GPUTIDE(sample_state_name, GPUTIDE_SAMPLE_OK) != nullptr &&
                       GPUTIDE(limit_name, 0) != nullptr && GPUTIDE(condition_name, 0) != nullptr &&
                       GPUTIDE(reason_name, 1) != nullptr && GPUTIDE(event_name, 1) != nullptr &&
                       GPUTIDE(event_kind_name, 1) != nullptr && GPUTIDE(forecast_state_name, 0) != nullptr &&
                       GPUTIDE(floor_reason_name, 0) != nullptr;
    return known ? GPUTIDE_OK : GPUTIDE_E_BUG;
}

gputide_status log_lines() {
    gputide_log_reader* reader = nullptr;
    text line;
    std::int32_t level = 0;
    steps all;
    all.then([&] { return GPUTIDE(log_open, GPUTIDE_LOG_DEBUG, &reader, nullptr); }).then([&] {
        const gputide_status next = GPUTIDE(log_next, reader, 0, nullptr, &line.value, &level, nullptr);
        return next == GPUTIDE_E_NO_DATA ? GPUTIDE_OK : next;
    });
    GPUTIDE(log_close, reader);
    GPUTIDE(log_free, reader);
    return all.status();
}

void write_line(void*, std::int32_t, const char*) {}

gputide_status log_sink() {
    auto sink = sized<gputide_log_sink>();
    sink.level = GPUTIDE_LOG_DEBUG;
    sink.write = write_line;
    const gputide_status set = GPUTIDE(set_log, &sink, nullptr);
    const gputide_status unset = GPUTIDE(set_log, nullptr, nullptr);
    return set != GPUTIDE_OK ? set : unset;
}

// Texts have been given by now, so it is too late for another allocator.
gputide_status allocator() {
    const gputide_status late = GPUTIDE(set_allocator, nullptr, nullptr);
    return late == GPUTIDE_E_STATE ? GPUTIDE_OK : late;
}

gputide_status cancel_flag() {
    gputide_cancel* cancel = nullptr;
    const gputide_status made = GPUTIDE(cancel_new, &cancel, nullptr);
    if (made == GPUTIDE_OK) GPUTIDE(cancel_fire, cancel);
    GPUTIDE(cancel_free, cancel);
    return made;
}

gputide_status quantity() {
    std::int64_t milli = 0;
    return GPUTIDE(quantity, "1500m", GPUTIDE_TEXT, &milli, nullptr);
}

gputide_status claims() {
    text json;
    return GPUTIDE(token_claims, "eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSIsImF1ZCI6WyJhIiwiYiJdLCJleHAiOjF9.x", GPUTIDE_TEXT,
                   &json.value, nullptr);
}

}  // namespace

void add_values(std::vector<scenario>& all) {
    all.insert(all.end(), {{"words", words},
                           {"log lines", log_lines},
                           {"log sink", log_sink},
                           {"allocator", allocator},
                           {"cancel flag", cancel_flag},
                           {"quantity", quantity},
                           {"token claims", claims}});
}

}  // namespace exhaustion
