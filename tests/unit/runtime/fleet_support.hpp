// A fleet over a scripted loop, and a clock that both follow.
#pragma once

#include "auth/credential.hpp"
#include "auth/machine/surroundings.hpp"
#include "manifest/load.hpp"
#include "pipeline/host.hpp"
#include "runtime/fleet/fleet.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gputide::runtime {

inline std::string manifest(const std::string& name, const std::string& trigger, int max = 20) {
    return R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":")" + name +
           R"("},"spec":{"scaleTargetRef":{"name":"demo"},"minReplicaCount":1,"maxReplicaCount":)" +
           std::to_string(max) + R"(,"triggers":[)" + trigger + "]}}";
}

inline std::string prometheus(const std::string& server, const std::string& query, const std::string& threshold = "5") {
    return R"({"type":"prometheus","metadata":{"serverAddress":")" + server + R"(","query":")" + query +
           R"(","threshold":")" + threshold + R"("}})";
}

inline std::string pushed(const std::string& name) {
    return manifest(name, R"({"type":"values","metadata":{"threshold":"5"}})");
}

inline std::string vector_answer(double value) {
    return R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1760000000,")" +
           std::to_string(value) + R"("]}]}})";
}

struct world {
    explicit world(fleet_options with = {}) : fleet(with, loop, services(loop), {[] {}, [](bool) {}}) {}

    static source::services services(const std::shared_ptr<testing::scripted_loop>& on) {
        source::services out;
        out.loop = on;
        out.tokens = std::make_shared<auth::token_cache>(on);
        out.host = auth::process_surroundings();
        return out;
    }

    static manifest::spec spec_of(const std::string& text) {
        auto out = pipeline::load_spec({{"test", text}}, {}, nullptr);
        EXPECT_TRUE(out) << (out ? "" : out.failure().message);
        return *out;
    }
    manifest::spec spec(const std::string& name, int max = 20) const {
        return spec_of(manifest(name, prometheus("http://127.0.0.1:9090", "up{model='" + name + "'}"), max));
    }
    scaler_id add_text(const std::string& text) {
        const auto out = fleet.add(spec_of(text), {});
        EXPECT_TRUE(out) << (out ? "" : out.failure().message);
        return *out;
    }
    scaler_id add(const std::string& name) {
        const auto out = fleet.add(spec(name), {});
        EXPECT_TRUE(out) << (out ? "" : out.failure().message);
        return *out;
    }
    void observe(scaler_id which, std::int32_t replicas) {
        decide::observation seen;
        seen.now_ms = wall_ms;
        seen.spec_replicas = replicas;
        EXPECT_TRUE(fleet.observe(which, seen));
    }

    void answer(double value, std::int64_t delay_ms = 0) {
        loop->answer_with([value, delay_ms](const http::request&) {
            auto out = testing::scripted(200, vector_answer(value));
            out.delay_ms = delay_ms;
            return out;
        });
    }

    std::int64_t step() { return fleet.step(wall_ms, wall_ms); }
    // Time goes by without a drive.
    void pass(std::int64_t ms) {
        wall_ms += ms;
        loop->set_steady_ms(loop->steady_ms() + ms);
    }
    // Steps as the fleet asks, for so long.
    void run(std::int64_t ms) {
        const std::int64_t end_ms = wall_ms + ms;
        for (;;) {
            step();
            loop->advance(0);
            std::int64_t wait_ms = fleet.next_delay_ms();
            if (wait_ms < 0 || wait_ms > 50) wait_ms = 50;  // answers of the loop in between
            wait_ms = std::min(wait_ms, end_ms - wall_ms);
            if (wall_ms == end_ms) return;
            wall_ms += wait_ms;
            loop->advance(wait_ms);
        }
    }

    std::shared_ptr<testing::scripted_loop> loop = std::make_shared<testing::scripted_loop>();
    std::int64_t wall_ms = 1'760'000'000'000;
    runtime::fleet fleet;
};

}  // namespace gputide::runtime
