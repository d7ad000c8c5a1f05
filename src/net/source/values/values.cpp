// Targets without an endpoint.
#include "source/values/values.hpp"

#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "formats/reduce.hpp"
#include "source/description.hpp"
#include "source/source.hpp"
#include "source/target.hpp"

#include <limits>

namespace gputide::source::values {
namespace {

std::string nothing_to_ask(const target& target) {
    if (target.resource.empty()) return "the host must push this value; no endpoint provides it";
    return format_text("the host must provide the pods' {} usage in the observation", target.resource);
}

class host_source final : public local_source {
  public:
    host_source(const description& described, std::shared_ptr<http::loop> loop)
        : local_source(described, std::move(loop), nothing_to_ask(described.target)) {}

    step begin(poll&) override { return judge_failure(no_endpoint()); }
};

fetched judge(const reading& whole) {
    judge_texts say;
    say.empty = "the host pushed no value";
    say.several = "the host pushed several values";
    say.not_finite = "the host pushed";
    return judge_numbers(formats::numbers_of(whole), {.ignore_null = false}, say);
}

description described(source::target target, const manifest::trigger& trigger) {
    description out;
    out.target = std::move(target);
    out.question = "host\n" + trigger.label();
    out.to_sample = &judge;
    return out;
}

std::string prefix_of(const manifest::trigger& trigger) {
    return format_text("error parsing {} metadata", trigger.type);
}

// Reads the target: Utilization: whole percent of the pods' requests; AverageValue: a quantity per pod.
result<void> read_resource_value(const std::string& value, source::target& target) {
    if (target.type == manifest::target_type::utilization) {
        const auto percent = parse_int64(value);
        if (!percent || *percent <= 0 || *percent > std::numeric_limits<std::int32_t>::max()) {
            return fail(status::invalid, "value: expected a whole percentage above 0 for Utilization, got {}",
                        in_quotes(value));
        }
        target.utilization_pct = static_cast<std::int32_t>(*percent);
        target.target_milli = *percent * 1000;
        return {};
    }
    const auto amount = parse_quantity(value);
    if (!amount || amount->milli <= 0) {
        return fail(status::invalid, "value: expected a quantity above 0 such as 500m or 2Gi, got {}",
                    in_quotes(value));
    }
    target.target_milli = amount->milli;
    return {};
}

result<manifest::target_type> resource_type(const manifest::trigger& trigger, const std::string& old_type) {
    if (old_type == "Utilization") return manifest::target_type::utilization;
    if (old_type == "AverageValue") return manifest::target_type::average_value;
    if (old_type.empty() && trigger.metric_type != manifest::target_type::value) return trigger.metric_type;
    return fail(status::invalid, "unsupported metric type, allowed values are 'Utilization' or 'AverageValue'");
}

}  // namespace

result<description> describe_pushed(trigger_reader& read) {
    const double threshold = read.number(pushed_keys["threshold"]).value_or(0.0);
    read.set_threshold(threshold, read.number(pushed_keys["activationThreshold"]).value_or(0.0));
    auto settings = read.end(prefix_of(read.trigger()), read.trigger().type, common_settings());
    if (!settings) return settings.take_failure();
    return described(std::move(settings->target), read.trigger());
}

result<description> describe_resource(trigger_reader& read) {
    const manifest::trigger& trigger = read.trigger();
    const auto value = read.text(resource_keys["value"]);
    const auto old_type = read.text(resource_keys["type"]);
    source::target out;
    out.container = read.text_of(resource_keys["containerName"]);
    if (auto finished = read.finish(prefix_of(trigger)); !finished) return at_trigger(finished.take_failure(), trigger);
    const auto type = resource_type(trigger, old_type.value_or(""));
    if (!type) return at_trigger(type.failure(), trigger);
    out.type = *type;
    out.metric_name = trigger.type;
    out.resource = trigger.type;
    if (auto fits = read_resource_value(*value, out); !fits) return at_trigger(fits.take_failure(), trigger);
    out.threshold = static_cast<double>(out.target_milli) / 1000.0;
    return described(std::move(out), trigger);
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    return std::shared_ptr<metric_source>(std::make_shared<host_source>(described, services.loop));
}

}  // namespace gputide::source::values
