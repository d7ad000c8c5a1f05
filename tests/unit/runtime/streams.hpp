// An external scaler that tells by itself, and scalers that hear it.
#pragma once

#include "fleet_support.hpp"

#include <gtest/gtest.h>

#include <map>

namespace gputide::runtime {

using testing::scripted_answer;

inline constexpr char trigger[] = R"({"type":"external-push","metadata":{"scalerAddress":"localhost:6000"}})";

inline std::string framed(const std::string& message) {
    return std::string(4, '\0') + static_cast<char>(message.size()) + message;
}
inline const std::string active = framed("\x08\x01");
inline const std::string idle = framed("");

// An external scaler behind the loop.
struct peer {
    double value = 0.0;
    bool is_active = false;
    std::function<scripted_answer()> stream = [] { return held({}); };
    std::function<scripted_answer()> targets = [] { return answered({}, "12"); };  // it has no such stream
    std::map<std::string, int> calls;

    static scripted_answer answered(std::string body, const char* status = "0") {
        return testing::scripted(200, std::move(body), {{"content-type", "application/grpc"}, {"grpc-status", status}});
    }
    // Says these in their times and stays open.
    static scripted_answer held(std::vector<std::pair<std::int64_t, std::string>> words) {
        scripted_answer out = answered({});
        out.delay_ms = 1'000'000'000;
        out.later = std::move(words);
        return out;
    }

    scripted_answer operator()(const http::request& what) {
        const std::string method = what.url.substr(what.url.rfind('/') + 1);
        ++calls[method];
        if (method == "StreamIsActive") return stream();
        if (method == "StreamMetricSpec") return targets();
        if (method == "IsActive") return answered(is_active ? active : idle);
        if (method == "GetMetricSpec") return answered(framed("\x0a\x05\x0a\x01q\x10\x05"));
        return answered(framed(std::string("\x0a\x02\x10") + static_cast<char>(value)));
    }
};

struct streams : ::testing::Test {
    static fleet_options every_decision() {
        fleet_options out;
        out.every_decision = true;
        out.start_spread_ms = 1;
        return out;
    }
    void SetUp() override {
        w.loop->answer_with([this](const http::request& what) { return scaler(what); });
    }
    // minReplicaCount 0, and polled each 30 s; the HPA half each 15 s.
    static std::string manifest_of(const std::string& name, const std::string& more = "") {
        return R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":")" + name +
               R"("},"spec":{"scaleTargetRef":{"name":"demo"},"minReplicaCount":0)" + more + R"(,"triggers":[)" +
               trigger + "]}}";
    }
    scaler_id add(const std::string& text = manifest_of("demo")) {
        const scaler_id id = w.add_text(text);
        w.observe(id, 0);
        return id;
    }
    std::uint64_t polls() const { return w.fleet.stats().polls; }
    int opened() { return scaler.calls["StreamIsActive"]; }
    int desired() {
        int out = -1;
        while (const auto event = w.fleet.take_event()) out = event->decision.desired_replicas;
        return out;
    }
    peer scaler;
    world w{every_decision()};
};

}  // namespace gputide::runtime
