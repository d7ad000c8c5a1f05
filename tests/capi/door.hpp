// What the tests of the door share: sized structs, texts that end themselves, two manifests.
#pragma once

#include "gputide/gputide.h"

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

inline constexpr char pushed_manifest[] = R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject",
    "metadata":{"name":"demo"},"spec":{"scaleTargetRef":{"name":"demo"},"minReplicaCount":1,"maxReplicaCount":20,
    "triggers":[{"type":"values","metadata":{"threshold":"5","activationThreshold":"2"}}]}})";

inline constexpr char prometheus_trigger[] = R"x({"type":"prometheus","metadata":{"serverAddress":"http://127.0.0.1:1",
    "query":"avg(DCGM_FI_DEV_GPU_UTIL)","threshold":"5"}})x";
