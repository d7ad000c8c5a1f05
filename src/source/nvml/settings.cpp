// Reads and checks the settings of an nvml trigger.
#include "source/nvml/settings.hpp"

#include "base/text.hpp"
#include "config/parameters.hpp"
#include "source/nvml/keys.hpp"
#include "source/target.hpp"

namespace gputide::source::nvml {
namespace {

using config::parameters;

void read_devices(parameters& parameters, settings& settings) {
    for (const std::string& text : parameters.list(keys["devices"])) {
        auto wanted = parse_wanted(text);
        if (wanted) {
            settings.devices.push_back(*std::move(wanted));
        } else {
            parameters.add_error(
                "devices: expected an index such as 0, an instance such as 0:1, or a UUID (GPU-…, MIG-…), got " +
                    in_quotes(text),
                "devices");
        }
    }
}

}  // namespace

result<settings> read_settings(const config::trigger& trigger, const config::trigger_rules& rules) {
    parameters read(trigger, keys.all());
    settings out;
    out.quantity = quantity_named(read.text(keys["metric"]).value_or(""));
    read_devices(read, out);
    if (!rules.reduce.empty()) out.reduction.reduce = rules.reduce;
    read_reducer(read, keys["reduce"], out.reduction.reduce);
    out.reduction.accept_partial = rules.accept_partial;
    out.scale = read.number(keys["scale"]).value_or(1.0);
    const double threshold = read.number(keys["threshold"]).value_or(0.0);
    const double activation = read.number(keys["activationThreshold"]).value_or(0.0);
    if (auto finished = read.finish("error parsing nvml metadata"); !finished) {
        return at_trigger(std::move(finished).failure(), trigger);
    }
    auto target = external_target(trigger, "nvml", threshold, activation);
    if (!target) return std::move(target).failure();
    out.target = *std::move(target);
    const std::string metric(out.quantity->name);
    out.texts.empty = "no value of " + metric;
    out.texts.not_finite = metric + " gives";
    return out;
}

}  // namespace gputide::source::nvml
