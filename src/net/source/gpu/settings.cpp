// Reads and checks the settings of an nvml trigger.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "source/gpu/nvml.hpp"
#include "source/target.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace gputide::source::nvml {
namespace {

void read_metric(trigger_reader& read, settings& settings) {
    const auto name = read.text(keys["metric"]);
    if (!name) return;  // reported with the other missing keys
    settings.quantity = settings.vendor->quantity_named(*name);
    if (settings.quantity != nullptr) return;
    std::string text = "metric: expected one of";
    const char* separator = " ";
    for (const quantity& quantity : quantities()) {
        if (settings.vendor->quantity_named(quantity.name) != nullptr)
            text.append(std::exchange(separator, ", ")).append(quantity.name);
    }
    read.add_error(text + "; got " + in_quotes(*name), "metric");
}

void read_devices(trigger_reader& read, settings& settings) {
    for (const std::string& text : read.list(keys["devices"])) {
        auto wanted = parse_wanted(text);
        if (wanted) {
            settings.devices.push_back(*std::move(wanted));
        } else {
            read.add_unexpected("devices", "an index such as 0, an instance such as 0:1, or a UUID (GPU-…, MIG-…)",
                                text);
        }
    }
}

void read_pods(trigger_reader& read, settings& settings) {
    for (const std::string& text : read.list(keys["pods"])) {
        auto wanted = parse_pod(text);
        if (wanted) {
            settings.pods.push_back(*std::move(wanted));
        } else {
            read.add_unexpected("pods", "a pod's name or namespace/name, where a trailing * matches any suffix", text);
        }
    }
    if (!settings.pods.empty() && !settings.devices.empty())
        read.add_error("devices and pods both select GPUs; set only one of them", "pods");
}

bool is_container_id(std::string_view text) {
    constexpr std::size_t shortest_id = 12;  // shortened by container runtimes
    return text.size() >= shortest_id && text.size() <= 64 &&
           std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

void read_processes(trigger_reader& read, settings& settings) {
    for (const std::string& text : read.list(keys["pids"])) {
        const auto pid = parse_int64(text);
        if (pid && *pid > 0 && *pid <= std::numeric_limits<std::int32_t>::max()) {
            settings.processes.pids.push_back(static_cast<unsigned>(*pid));
        } else {
            read.add_unexpected("pids", "process ids such as 4711", text);
        }
    }
    for (const std::string& text : read.list(keys["containers"])) {
        if (is_container_id(text)) {
            settings.processes.containers.push_back(text);
        } else {
            read.add_unexpected("containers", "ids of 12 to 64 hexadecimal digits, as `crictl ps` prints them", text);
        }
    }
    const bool has_filter = !settings.processes.pids.empty() || !settings.processes.containers.empty();
    if (has_filter && settings.quantity != nullptr && settings.quantity->kind != reading_kind::process) {
        read.add_error(
            "pids and containers select processes, but only process_utilization and process_memory_bytes have a value "
            "per process",
            settings.processes.pids.empty() ? "containers" : "pids");
    }
}

}  // namespace

result<settings> read_settings(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                               const vendor& of) {
    trigger_reader read(trigger, of.keys, nullptr);
    settings out;
    out.vendor = &of;
    read_metric(read, out);
    read_devices(read, out);
    if (of.has_key("pods")) read_pods(read, out);
    if (of.has_key("pids")) read_processes(read, out);
    if (!rules.reduce.empty()) out.reduction.reduce = rules.reduce;
    read.read_reducer(keys["reduce"], out.reduction.reduce);
    out.reduction.accept_partial = rules.accept_partial;
    out.scale = read.number(keys["scale"]).value_or(1.0);
    const double threshold = read.number(keys["threshold"]).value_or(0.0);
    const double activation = read.number(keys["activationThreshold"]).value_or(0.0);
    if (auto ended = read.end(format_text("error parsing {} metadata", of.type), {of.type, threshold, activation},
                              nullptr, out.target);
        !ended)
        return ended.take_failure();
    const std::string metric(out.quantity->name);
    out.texts.empty = "no value of " + metric;
    out.texts.not_finite = metric + " gives";
    return out;
}

}  // namespace gputide::source::nvml
