// Arbitrary bytes as the body of a Prometheus answer and as a query: nothing may crash, hang or read past the end, the two
// readers must agree, and every judgement must leave a finite value or a reason.  Built for libFuzzer.
#include "base/text.hpp"
#include "formats/promql/selectors.hpp"
#include "formats/query_api/parse.hpp"
#include "formats/reduce.hpp"
#include "source/prometheus/judge.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace prometheus = gputide::source::prometheus;
namespace formats = gputide::formats;
namespace source = gputide::source;

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

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

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
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
