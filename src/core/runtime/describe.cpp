#include "base/json_writer.hpp"
#include "runtime/scaler.hpp"
#include "wire/errors.hpp"

#include <algorithm>
#include <cstddef>

namespace gputide::runtime {

std::string reads_json(const scaler& scaler, std::int64_t now_ms) {
    json_writer json;
    json.begin_array();
    for (std::size_t i = 0; i < scaler.reads().size(); ++i) {
        const last_read& read = scaler.reads()[i];
        json.begin_object().member("metric", scaler.policy().metrics[i].label());
        json.member("state", sample_state_name(read.value.state));
        json.key("value");
        if (read.value.state == sample_state::ok) {
            json.number(read.value.value);
        } else {
            json.null();
        }
        if (read.value.null_as_zero) json.member("null_as_zero", true);
        if (const std::string_view way = read_by_name(read.value.read_by); !way.empty()) {
            json.member("read_by", way);
            if (read.value.interval_ms > 0) json.member("interval_ms", read.value.interval_ms);
        }
        if (read.value.time_ms != 0) {  // a server's clock may be slightly ahead
            json.member("age_ms", std::max<std::int64_t>(0, now_ms - read.value.time_ms));
        }
        json.member("latency_ms", read.took_ms);
        if (scaler.source(i) != nullptr && !scaler.source(i)->metric().asks.empty())
            json.member("asks", scaler.source(i)->metric().asks);
        if (read.why != nullptr) {
            json.key("error").begin_object().member("status", std::string_view(status_name(read.why->status)));
            json.member("where", read.why->where.text()).member("message", read.why->message);
            json.member("retryable", read.why->retryable).member("http_status", read.why->http_status);
            if (const std::string_view body = http::noted_body(*read.why); !body.empty()) json.member("body", body);
            json.end_object();
        }
        json.end_object();
    }
    return json.end_array().take();
}

decide::text_details details_of(const scaler& scaler, const decide::decision& decision) {
    decide::text_details out;
    if (decision.failed_metric >= 0 && static_cast<std::size_t>(decision.failed_metric) < scaler.reads().size()) {
        const last_read& read = scaler.reads()[static_cast<std::size_t>(decision.failed_metric)];
        if (read.why != nullptr) out.read_error = read.why->message;
    }
    out.scale_error = scaler.state().scale_error;
    if (decision.id != scaler.last_decision().id) return out;
    out.pod_name = scaler.failed_pod();
    out.container = scaler.failed_container();
    return out;
}

}  // namespace gputide::runtime
