#include "inside/vpa.hpp"
#include "rightsize/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

namespace conformance {

using namespace gputide::rightsize;

namespace {

// The originals compute more buckets too; a histogram here has bounded memory.
constexpr double max_buckets = 100'000.0;

std::optional<layout> counted(layout layout, double buckets) {
    if (!(buckets <= max_buckets)) return std::nullopt;
    layout.count = static_cast<std::int32_t>(buckets);
    return layout;
}

bool is_above(double value, double bound) { return value > bound && std::isfinite(value); }

// ceil(max/width) + 1 buckets: max 5, width 0.3 → 18.
std::optional<layout> linear_layout(double max, double width, double epsilon) {
    if (!is_above(max, 0.0) || !is_above(width, 0.0) || !is_above(epsilon, 0.0)) return std::nullopt;
    return counted({width, 1.0, 0.0, epsilon, 0}, std::ceil(max / width) + 1.0);
}

// ceil(log_ratio(max*(ratio-1)/first + 1)) + 1 buckets: max 1e12, first 1e7, ratio 1.05 → 176.
std::optional<layout> exponential_layout(double max, double first, double ratio, double epsilon) {
    if (!is_above(max, 0.0) || !is_above(first, 0.0) || !is_above(ratio, 1.0) || !is_above(epsilon, 0.0))
        return std::nullopt;
    const double log_ratio = std::log(ratio);
    return counted({first, ratio, log_ratio, epsilon, 0},
                   std::ceil(std::log(max * (ratio - 1.0) / first + 1.0) / log_ratio) + 1.0);
}

}  // namespace

std::optional<layout> layout_of(const json& options) {
    if (options == "memory") return memory_layout;
    if (options == "cpu") return cpu_layout;
    if (options == "gpu_util") return utilization_layout;
    const auto number = [&](const char* name) { return options.at(name).get<double>(); };
    const std::string type = options.at("type").get<std::string>();
    if (type != "linear" && type != "exponential") throw std::invalid_argument("no such layout: " + type);
    if (type == "linear") return linear_layout(number("max"), number("bucket"), number("eps"));
    return exponential_layout(number("max"), number("first"), number("ratio"), number("eps"));
}

differences vpa_compared(const json& test_case, const json& got) {
    differences out;
    expect_equal(out, "answer", test_case.at("expect"), got,
                 {.tolerance = test_case.value("tol", 1e-9), .subset = true});
    return out;
}

}  // namespace conformance

// vpa-recommend: buckets, histograms that decay or not, their checkpoints, equality after a merge.

namespace conformance::vpa_histogram {
namespace {

using namespace gputide::rightsize;

// Returns an empty histogram with the settings of a case.
histogram empty_histogram(const layout& by, const json& input) {
    return histogram(by, input.contains("half_life_s") ? ms_of(input.at("half_life_s")) : 0);
}

bool change(const json& op, histogram& on, bool (histogram::*how)(double, double, std::int64_t)) {
    return (on.*how)(op.at("value").get<double>(), op.at("weight").get<double>(), ms_of(op.value("t", json(0))));
}

void reload(histogram& on, const json& input) {
    histogram fresh = empty_histogram(on.buckets(), input);
    if (!fresh.load(on.save()).ok()) throw std::runtime_error("a histogram's own checkpoint was refused");
    on = std::move(fresh);
}

// null, or a bucket without a valid number and weight, cannot even be written as a checkpoint.
std::optional<histogram_checkpoint> checkpoint_of(const json& given) {
    if (!given.is_object()) return std::nullopt;
    histogram_checkpoint out;
    out.total_weight = given.value("totalWeight", 0.0);
    const json weights = given.value("bucketWeights", json::object());
    for (const auto& [bucket, weight] : weights.items()) {
        if (!weight.is_number_integer()) return std::nullopt;
        out.bucket_weights.emplace_back(std::stoll(bucket), weight.get<std::int64_t>());
    }
    if (given.contains("referenceTimestamp")) out.reference_ms = ms_of(given.at("referenceTimestamp"));
    return out;
}

json checkpoint_json(const histogram_checkpoint& saved, const json& expected) {
    json weights = json::object();
    for (const auto& [bucket, weight] : saved.bucket_weights) weights[std::to_string(bucket)] = weight;
    json out = {{"totalWeight", saved.total_weight}, {"bucketWeights", std::move(weights)}};
    if (saved.reference_ms && expected.is_object() && expected.contains("referenceTimestamp"))
        out["referenceTimestamp"] = static_cast<double>(*saved.reference_ms) / 1000.0;
    return out;
}

// Returns what an operation appends to the answers; nothing for one that only changes the histogram.  A refused change says so.
void run(const json& op, const json& input, histogram& on, const json& expected, json& answers);

void run_all(const json& ops, const json& input, histogram& on, const json& expected, json& answers) {
    for (const json& op : ops) run(op, input, on, expected, answers);
}

void merge(const json& op, const json& input, histogram& on, json& answers) {
    const layout by = layout_of(op.value("options", input.at("options"))).value();
    json settings = input;
    if (op.contains("half_life_s")) settings["half_life_s"] = op.at("half_life_s");
    histogram other = empty_histogram(by, settings);
    json unheard = json::array();
    run_all(op.at("ops"), settings, other, json::array(), unheard);
    if (!on.merge(other)) answers.push_back("error");
}

void run(const json& op, const json& input, histogram& on, const json& expected, json& answers) {
    const auto name = op.at("op").get<std::string>();
    if (name == "add") {
        if (!change(op, on, &histogram::add)) answers.push_back("error");
    } else if (name == "sub") {
        if (!change(op, on, &histogram::subtract)) answers.push_back("error");
    } else if (name == "merge") {
        merge(op, input, on, answers);
    } else if (name == "reload") {
        reload(on, input);
    } else if (name == "load") {
        const auto saved = checkpoint_of(op.value("checkpoint", json()));
        answers.push_back(saved && on.load(*saved).ok() ? "ok" : "error");
    } else if (name == "save") {
        const std::size_t at = answers.size();
        answers.push_back(checkpoint_json(on.save(), at < expected.size() ? expected[at] : json()));
    } else if (name == "pct") {
        answers.push_back(on.percentile(op.at("p").get<double>()));
    } else if (name == "empty") {
        answers.push_back(on.empty());
    } else if (name == "total") {
        answers.push_back(on.total());
    } else if (name == "weight") {
        answers.push_back(on.weight(op.at("bucket").get<std::int32_t>()));
    } else if (name == "ref") {
        answers.push_back(input.contains("half_life_s") ? json(static_cast<double>(on.reference_ms()) / 1000.0)
                                                        : json());
    } else {
        throw std::invalid_argument("no such operation: " + name);
    }
}

differences check_histogram(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const layout by = layout_of(input.at("options")).value();
    histogram on = empty_histogram(by, input);
    json answers = json::array();
    const json& expected = test_case.at("expect");
    run_all(input.at("ops"), input, on, expected.is_array() ? expected : json::array(), answers);
    return vpa_compared(test_case, answers);
}

differences check_equal(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const layout by = layout_of(input.at("options")).value();
    histogram a = empty_histogram(by, input);
    histogram b = empty_histogram(by, input);
    json unheard = json::array();
    run_all(input.at("a"), input, a, json::array(), unheard);
    run_all(input.at("b"), input, b, json::array(), unheard);
    return vpa_compared(test_case, a.equals(b));
}

differences check_options(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const layout by = layout_of(input.at("options")).value();
    json start = json::array();
    json find = json::array();
    for (const json& bucket : input.value("starts", json::array())) start.push_back(start_of(by, bucket.get<int>()));
    for (const json& value : input.value("finds", json::array())) find.push_back(bucket_of(by, value.get<double>()));
    return vpa_compared(test_case, {{"buckets", by.count}, {"start", start}, {"find", find}});
}

differences check_refused(const json& test_case, const json&) {
    return vpa_compared(test_case, layout_of(test_case.at("input").at("options")) ? "ok" : "error");
}

const registration histograms{"vpa-recommend", {"histogram"}, &check_histogram};
const registration equality{"vpa-recommend", {"hist_equal"}, &check_equal};
const registration layouts{"vpa-recommend", {"options"}, &check_options};
const registration refused{"vpa-recommend", {"options_error"}, &check_refused};

}  // namespace
}  // namespace conformance::vpa_histogram
