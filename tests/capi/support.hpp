// Helpers that the tests of the C API share: sized structs, texts that end themselves, two manifests.
#pragma once

#include "gputide/gputide_table.h"

#include <chrono>
#include <cstdint>
#include <string>

template <class T>
T sized() {
    T out{};
    out.struct_size = sizeof(T);
    return out;
}

struct owned_text {
    gputide_text value{nullptr, 0};
    owned_text() = default;
    owned_text(const owned_text&) = delete;
    owned_text& operator=(const owned_text&) = delete;
    ~owned_text() { gputide_text_free(&value); }
    std::string str() const { return {value.data, static_cast<std::size_t>(value.size_bytes)}; }
};

inline constexpr std::int64_t start_ms = 1795255200000;  // 2026-11-21T10:00:00Z

inline std::int64_t system_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

inline gputide_sample sample_of(double value) {
    auto out = sized<gputide_sample>();
    out.state = GPUTIDE_SAMPLE_OK;
    out.value = value;
    return out;
}

// One sample beside the present size.
inline gputide_observation seen_of(const gputide_sample& sample, std::int32_t current, std::int64_t now_ms = start_ms) {
    auto out = sized<gputide_observation>();
    out.now_ms = now_ms;
    out.current_replicas = current;
    out.samples = &sample;
    out.sample_count = 1;
    out.sample_size = sizeof sample;
    return out;
}

inline constexpr char pushed_manifest[] = R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject",
    "metadata":{"name":"demo"},"spec":{"scaleTargetRef":{"name":"demo"},"minReplicaCount":1,"maxReplicaCount":20,
    "triggers":[{"type":"values","metadata":{"threshold":"5","activationThreshold":"2"}}]}})";

inline constexpr char prometheus_trigger[] = R"x({"type":"prometheus","metadata":{"serverAddress":"http://127.0.0.1:1",
    "query":"avg(DCGM_FI_DEV_GPU_UTIL)","threshold":"5"}})x";

// A saved state up to what tells one loading from another: the random value of the decisions to come, and the text's sum.
inline std::string without_random_id(const std::string& saved) {
    return saved.substr(0, saved.find(",\"decisions\":"));
}
