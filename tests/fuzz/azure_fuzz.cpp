// Arbitrary bytes as the answers of Azure Monitor and of Log Analytics, with data and with a refusal: nothing may crash or hang,
// each failure has its reason, each value is one.
#include "auth/azure/service_error.hpp"
#include "require.hpp"
#include "source/azure/answer.hpp"
#include "source/azure_monitor/judge.hpp"
#include "source/azure_monitor/parse.hpp"
#include "source/log_analytics/parse.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace monitor = gputide::source::azure_monitor;
namespace logs = gputide::source::log_analytics;
using gputide::fuzz::one_of;
using gputide::fuzz::require;
using gputide::fuzz::require_reason;

namespace {

constexpr char token[] = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.x";

void require_sample(const gputide::source::fetched& out) {
    require(std::isfinite(out.sample.value));
    require((out.sample.state == gputide::sample_state::ok) == (out.why.status == gputide::status::ok));
}

void read_metrics(const gputide::http::answer& answer, bool strict) {
    monitor::settings settings;
    settings.resources = {"/subscriptions/s/resourceGroups/g/providers/n/t/a"};
    settings.metric = "m";
    settings.aggregation = "Average";
    settings.strict = strict;
    const auto one = monitor::parse(answer, settings);
    require_reason(one);
    if (one) require_sample(monitor::judge(*one, settings));
    settings.batch = true;
    settings.resources.emplace_back("/subscriptions/s/resourceGroups/g/providers/n/t/b");
    require_reason(monitor::parse_batch(answer, settings));
}

void read_logs(const gputide::http::answer& answer, bool strict) {
    logs::settings settings;
    settings.strict = strict;
    const auto rows = logs::parse(answer, settings);
    require_reason(rows);
    if (rows) require_sample(logs::judge(*rows, settings));
    (void)logs::is_too_heavy(answer);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    gputide::http::answer answer;
    answer.response.body.assign(reinterpret_cast<const char*>(bytes), size);
    answer.response.status = 200;
    const bool strict = one_of({false, true}, size);
    read_metrics(answer, strict);
    read_logs(answer, strict);
    answer.response.body += token;
    answer.response.status = one_of({400, 401, 403, 404, 429, 500}, size);
    if (const auto refused = gputide::auth::service_refusal(answer, "https://management.azure.com/x")) {
        require_reason(*refused);
        require(refused->message.find(token) == std::string::npos);
    }
    const auto failed = gputide::auth::judge_service_answer(answer, {"https://h", 1'795'255'200'000, {token}});
    require(failed.has_value());
    require_reason(failed->why);
    return 0;
}
