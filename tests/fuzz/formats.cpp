// Responses of metric sources.
#include "auth/azure/services.hpp"
#include "base/text.hpp"
#include "doctor/examine.hpp"
#include "formats/exposition/page.hpp"
#include "formats/exposition/selector.hpp"
#include "formats/promql/promql.hpp"
#include "formats/query_api/parse.hpp"
#include "formats/reduce.hpp"
#include "fuzz.hpp"
#include "source/azure/azure.hpp"
#include "source/azure_monitor/azure_monitor.hpp"
#include "source/dcgm/dcgm.hpp"
#include "source/log_analytics/log_analytics.hpp"
#include "source/metrics_api/metrics_api.hpp"
#include "source/prometheus/prometheus.hpp"
#include "support/open_source.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// Arbitrary bytes as a /metrics body in both grammars, as label matchers and as a regular expression: nothing may crash, hang
// or read past the end, and both ways of reading a body must agree.
// The text up to the first NUL is the matchers (and the expression), the rest the body.
namespace fuzz_exposition {

using namespace gputide::fuzz;

namespace exposition = gputide::formats::exposition;

namespace {

exposition::label_names as_written(std::string_view label) { return {std::string(label)}; }

void read_body(std::string_view body, exposition::format as, const std::vector<exposition::matcher>& matchers) {
    const auto all = exposition::read_all(body, as);
    if (!all && all.failure().status == gputide::status::limit) return;
    require(all.ok() || !all.failure().fields.empty());

    exposition::selector by;
    if (all && !all->series.empty()) by.metrics.push_back(all->series.front().labels.front().second);
    by.matchers = matchers;
    std::size_t taken = 0;
    const auto selected = exposition::each_selected(body, as, by, [&](const exposition::line& line) {
        ++taken;
        require(exposition::unescaped(line.name) == by.metrics.front());
    });
    require(selected.ok() == all.ok() || selected.failure().status == gputide::status::limit);
    if (all) require(taken <= all->series.size() && (!matchers.empty() || all->series.empty() || taken > 0));
}

}  // namespace

int run(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(bytes), size);
    const std::string_view head = input.substr(0, std::min(input.find('\0'), size));
    const std::string_view body = head.size() < size ? input.substr(head.size() + 1) : input;

    const auto matchers = exposition::parse_matchers(head, &as_written);
    require(matchers.ok() || !matchers.failure().message.empty());
    const auto expression = gputide::pattern::compile(head, gputide::pattern::dot::any_character);
    gputide::match_budget budget;
    if (expression) (void)expression->matches(body.substr(0, 256), budget);

    const std::vector<exposition::matcher> none;
    const auto format = one_of({exposition::format::text, exposition::format::openmetrics}, size);
    read_body(body, format, none);
    if (matchers) read_body(body, format, *matchers);
    return 0;
}

const registration target{"exposition", &run};

}  // namespace fuzz_exposition

// Arbitrary bytes as a page of dcgm-exporter, for a plain metric, a ratio in groups and a counter: nothing may crash or hang,
// each failure has its reason, each value is one, and a page read by its series gives the same value.
namespace fuzz_dcgm {

using namespace gputide::fuzz;

namespace dcgm = gputide::source::dcgm;

namespace {

dcgm::settings settings_of(const std::map<std::string, std::string>& more) {
    gputide::manifest::trigger from;
    from.type = "dcgm";
    from.metadata = {{"url", "http://h/"}, {"metric", "DCGM_FI_DEV_GPU_UTIL"}, {"threshold", "1"}};
    for (const auto& [key, value] : more) from.metadata[key] = value;
    auto made = gputide::testing::settings_of(&dcgm::read_settings, dcgm::keys.all(), from);
    require(made.ok());
    return *std::move(made);
}

void require_sample(const gputide::source::fetched& out) {
    require(std::isfinite(out.sample.value));
    require((out.sample.state == gputide::sample_state::ok) == (out.why.status == gputide::status::ok));
}

void read(const gputide::http::answer& answer, const dcgm::settings& by) {
    const auto page = dcgm::read_page(answer, by, 0);
    const auto series = dcgm::read_series(answer, by);
    require_reason(page);
    require_reason(series);
    require(page.ok() == series.ok());
    if (!page) return;
    const auto direct = dcgm::judge_picks(*page, by);
    require_sample(direct);
    auto picks = dcgm::picks_of(*series, by);
    require_reason(picks);
    // A page may write one series in several ways, which are the same only once they are read.
    if (!picks || picks->repeated != page->repeated) return;
    picks->hint = page->hint;
    const auto again = dcgm::judge_picks(*picks, by);
    require_sample(again);
    require(again.sample.state == direct.sample.state && again.sample.value == direct.sample.value);
}

void look(const std::string& body) {
    const auto page = gputide::formats::exposition::read_all(body, gputide::formats::exposition::format::text);
    if (!page) return;
    static const auto asked = gputide::doctor::read_selector(R"(DCGM_FI_DEV_GPU_UTIL{pod=~"a.*",gpu!="1"})");
    const auto seen = gputide::doctor::look_over(*asked, {"DCGM_FI_DEV_GPU_UTIL"}, *page);
    require(seen.found.size() + seen.nearby.size() <= page->series.size());
    (void)gputide::doctor::pace_between(body, body.substr(body.size() / 2));
}

}  // namespace

int run(const std::uint8_t* bytes, std::size_t size) {
    static const dcgm::settings each[] = {
        settings_of({}),
        settings_of({{"metric", "DCGM_FI_DEV_FB_USED/(DCGM_FI_DEV_FB_USED+DCGM_FI_DEV_FB_FREE)"}, {"by", "pod"}}),
        settings_of({{"selector", R"(pod=~"a.*",gpu!="1")"}}),
    };
    gputide::http::answer answer;
    answer.response.status = 200;
    answer.response.body.assign(reinterpret_cast<const char*>(bytes), size);
    read(answer, each[size % std::size(each)]);
    look(answer.response.body);
    return 0;
}

const registration target{"dcgm", &run};

}  // namespace fuzz_dcgm

// A metrics-api trigger's valueLocation (the first line) against an answer (the rest), in every format.
namespace fuzz_metrics_api {

using namespace gputide::fuzz;

namespace {

void read(const std::string& format, const std::string& location, const std::string& body) {
    gputide::manifest::trigger from;
    from.type = "metrics-api";
    from.metadata = {{"url", "http://h/"}, {"valueLocation", location}, {"targetValue", "1"}, {"format", format}};
    const auto by = gputide::testing::settings_of(&gputide::source::metrics_api::read_settings,
                                                  gputide::source::metrics_api::keys.all(), from);
    if (!by) return;
    gputide::http::answer got;
    got.response.status = 200;
    got.response.body = body;
    const auto all = gputide::source::metrics_api::read_answer(got, *by);
    if (all) (void)gputide::source::metrics_api::judge(*all, *by);
}

}  // namespace

int run(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::size_t end = text.find('\n');
    if (end == std::string::npos) return 0;
    read(one_of({"json", "yaml", "prometheus"}, size), text.substr(0, end), text.substr(end + 1));
    return 0;
}

const registration target{"metrics_api", &run};

}  // namespace fuzz_metrics_api

// Arbitrary bytes as the answers of Azure Monitor and of Log Analytics, with data and with a refusal: nothing may crash or hang,
// each failure has its reason, each value is one.
namespace fuzz_azure {

using namespace gputide::fuzz;

namespace monitor = gputide::source::azure_monitor;
namespace logs = gputide::source::log_analytics;

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
    const auto parsed = monitor::parse(answer, settings);
    require_reason(parsed);
    if (parsed) require_sample(monitor::judge(*parsed, settings));
    settings.batch = true;
    settings.resources.emplace_back("/subscriptions/s/resourceGroups/g/providers/n/t/b");
    require_reason(monitor::parse(answer, settings));
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

int run(const std::uint8_t* bytes, std::size_t size) {
    gputide::http::answer answer;
    answer.response.body.assign(reinterpret_cast<const char*>(bytes), size);
    answer.response.status = 200;
    const bool strict = one_of({false, true}, size);
    read_metrics(answer, strict);
    read_logs(answer, strict);
    answer.response.body += token;
    answer.response.status = one_of({400, 401, 403, 404, 429, 500}, size);
    for (const char* url : {"https://management.azure.com/x", "https://h"}) {
        const auto refused = gputide::auth::service_refusal(answer, url);
        require(refused.has_value());
        require_reason(*refused);
        require(refused->message.find(token) == std::string::npos);
    }
    return 0;
}

const registration target{"azure", &run};

}  // namespace fuzz_azure

// Arbitrary bytes as the body of a Prometheus answer and as a query: nothing may crash, hang or read past the end, the two
// readers must agree, and every judgement must leave a finite value or a reason.
namespace fuzz_prometheus {

using namespace gputide::fuzz;

namespace prometheus = gputide::source::prometheus;
namespace formats = gputide::formats;
namespace source = gputide::source;

namespace {

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void require_reason(const gputide::error& why) {
    require(why.status != gputide::status::ok && !why.message.empty() && gputide::valid_utf8(why.message));
}

void require_agreement(const gputide::result<source::reading>& full, const gputide::result<source::numbers>& fast,
                       std::string_view body) {
    if (!fast) {
        require(!full.ok());
        require_reason(fast.failure());
        return;
    }
    if (!full) {  // only escapes in label texts are left unread
        require_reason(full.failure());
        require(body.find('\\') != std::string_view::npos);
        return;
    }
    const source::numbers expected = formats::numbers_of(*full);
    require(fast->result_type == expected.result_type && fast->series == expected.series &&
            fast->newest.size() == expected.newest.size() && fast->warnings == expected.warnings &&
            fast->infos == expected.infos && fast->partial == expected.partial);
    for (std::size_t i = 0; i < expected.newest.size(); ++i) {
        require(fast->newest[i].time_ms == expected.newest[i].time_ms);
        require(same(fast->newest[i].value, expected.newest[i].value));
    }
}

void require_judgement(const gputide::result<source::numbers>& got, bool strict) {
    prometheus::settings by;
    by.strict = strict;
    for (const char* reducer : {"", "avg", "p90"}) {
        for (const bool ignore_null : {true, false}) {
            by.reduction.reduce = reducer;
            by.reduction.ignore_null = ignore_null;
            const source::fetched out = prometheus::judge(got, by);
            require(std::isfinite(out.sample.value));
            require((out.sample.state == gputide::sample_state::ok) == (out.why.status == gputide::status::ok));
        }
    }
}

}  // namespace

int run(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(bytes), size);
    gputide::http::answer answer;
    answer.response.status = 200;
    answer.response.body = input;
    const auto full = formats::query_api::parse(answer);
    const auto fast = formats::query_api::parse_numbers(answer);
    require_agreement(full, fast, input);
    require_judgement(fast, false);

    const auto keda = prometheus::parse_as_keda(answer, "up");
    if (keda) require_judgement(formats::numbers_of(*keda), true);
    if (!keda) require_reason(keda.failure());

    answer.response.status = 400;
    const auto refused = formats::query_api::parse(answer);
    require(!refused.ok());
    require_reason(refused.failure());

    (void)formats::promql::age_query_of(input);
    return 0;
}

const registration target{"prometheus", &run};

}  // namespace fuzz_prometheus
