// An external scaler's answer, as each of the messages that it may be, behind its gRPC frame and without it: nothing may crash or
// hang, every failure has its reason, every outcome is a finite value or a reason.  And a stream of such messages, which are the same
// ones in whatever pieces they come.  Built for libFuzzer.
#include "require.hpp"
#include "source/external/messages.hpp"
#include "source/external/outcome.hpp"
#include "source/grpc/frames.hpp"
#include "source/grpc/grpc.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace external = gputide::source::external;
namespace grpc = gputide::source::grpc;
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

struct stream_read {
    std::vector<std::string> messages = {};
    bool is_damaged = false;
    bool has_rest = false;
};

stream_read read_stream(std::string_view stream, std::size_t piece_bytes) {
    stream_read out;
    grpc::frame_cutter cutter;
    const auto take = [&](std::string_view message) -> gputide::result<void> {
        require(message.size() <= grpc::frame_cutter::most_message_bytes);
        out.messages.emplace_back(message);
        return {};
    };
    for (std::size_t at = 0; at < stream.size() && !out.is_damaged; at += piece_bytes) {
        const auto fed = cutter.feed(stream.substr(at, piece_bytes), take);
        require_reason(fed);
        out.is_damaged = !fed;
    }
    out.has_rest = cutter.has_rest();
    return out;
}

void require_same_stream(std::string_view stream) {
    const stream_read whole = read_stream(stream, std::max<std::size_t>(stream.size(), 1));
    const stream_read pieces = read_stream(stream, 1 + stream.size() % 7);
    require(whole.messages == pieces.messages);
    require(whole.is_damaged == pieces.is_damaged);
    if (!whole.is_damaged) require(whole.has_rest == pieces.has_rest);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string input(reinterpret_cast<const char*>(bytes), size);
    require_outcome(input);
    require_same_stream(input);
    gputide::http::answer answer;
    answer.response.status = 200;
    answer.response.body = input;
    answer.response.headers = {{"content-type", "application/grpc"}, {"grpc-status", "0"}};
    const auto message = grpc::grpc_message(answer);
    require_reason(message);
    if (message) require_outcome(*message);
    answer.response.headers = {{"content-type", "application/grpc"}, {"grpc-status", "2"}, {"grpc-message", input}};
    require_reason(grpc::grpc_message(answer));
    answer.response.headers = {{"content-type", input}, {"grpc-status", input}};
    require_reason(grpc::grpc_message(answer));
    return 0;
}
