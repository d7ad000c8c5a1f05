// An external scaler's answer, as each of the messages that it may be, behind its gRPC frame and without it: nothing may crash or
// hang, every failure has its reason, every outcome is a finite value or a reason.  Built for libFuzzer.
#include "require.hpp"
#include "source/external/grpc.hpp"
#include "source/external/messages.hpp"
#include "source/external/outcome.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace external = gputide::source::external;
using gputide::fuzz::require;
using gputide::fuzz::require_reason;

namespace {

void require_outcome(std::string_view message) {
    const auto specs = external::read_specs(message);
    const auto values = external::read_values(message);
    const auto active = external::read_activity(message);
    require_reason(specs);
    require_reason(values);
    require_reason(active);
    if (!specs || !values || specs->empty()) return;
    std::vector<external::read_metric> metrics;
    for (const external::metric_spec& one : *specs) {
        require(one.target_milli >= 0);
        if (one.target_milli > 0) metrics.push_back({one, *values});
    }
    if (metrics.empty()) return;
    const gputide::source::fetched out = external::outcome_of(metrics, active && *active, 0);
    require(std::isfinite(out.sample.value));
    require((out.sample.state == gputide::sample_state::ok) == (out.why.status == gputide::status::ok));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string input(reinterpret_cast<const char*>(bytes), size);
    require_outcome(input);
    gputide::http::answer answer;
    answer.response.status = 200;
    answer.response.body = input;
    answer.response.headers = {{"content-type", "application/grpc"}, {"grpc-status", "0"}};
    const auto message = external::grpc_message(answer);
    require_reason(message);
    if (message) require_outcome(*message);
    answer.response.headers = {{"content-type", "application/grpc"}, {"grpc-status", "2"}, {"grpc-message", input}};
    require_reason(external::grpc_message(answer));
    answer.response.headers = {{"content-type", input}, {"grpc-status", input}};
    require_reason(external::grpc_message(answer));
    return 0;
}
