#include "source/external/outcome.hpp"

#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "source/judge.hpp"

#include <cmath>
#include <limits>

namespace gputide::source::external {
namespace {

// Exactly as given where it is one; quantities are added in thousandths.
double sum_of(const std::vector<double>& values) {
    if (values.size() == 1) return values.front();
    double milli = 0.0;
    for (const double one : values) milli += static_cast<double>(keda_milli(one));
    return milli / 1000.0;
}

double share_of(const read_metric& metric, double value) {
    return static_cast<double>(keda_milli(value)) / static_cast<double>(metric.spec.target_milli);
}

fetched without_value(const metric_spec& spec) {
    return judge_failure(fail(error_class::no_data, format_text("the external scaler gives no value for its metric {}",
                                                                in_quotes(spec.name))));
}

}  // namespace

fetched outcome_of(const std::vector<read_metric>& metrics, bool is_active, std::int32_t index) {
    fetched out;
    out.why.status = status::ok;
    out.sample.state = sample_state::ok;
    out.reading.result_type = "external";
    double most = -1.0;
    const read_metric* empty = nullptr;
    for (const read_metric& one : metrics) {
        if (one.values.empty()) empty = &one;
        const double value = sum_of(one.values);
        const std::string name = format_text("s{}-{}", index, one.spec.name);
        const std::string target = shortest(static_cast<double>(one.spec.target_milli) / 1000.0);
        out.reading.series.push_back({{{"metric", name}, {"target", target}}, {{0, value}}, {}});
        if (share_of(one, value) <= most) continue;
        most = share_of(one, value);
        out.sample.null_as_zero = !std::isfinite(value);
        out.sample.value = std::isfinite(value) ? value : 0.0;
        out.sample.target_milli = one.spec.target_milli;
    }
    if (empty != nullptr) {
        fetched none = without_value(empty->spec);
        none.sample.target_milli = out.sample.target_milli;
        out = std::move(none);
    }
    out.sample.activity = is_active ? activity_word::active : activity_word::inactive;
    return out;
}

}  // namespace gputide::source::external
