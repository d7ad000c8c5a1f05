// Settings of a trigger for GPUs, and its source.
#include "source/gpu/nvml.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/reduce.hpp"
#include "http/client.hpp"
#include "http/exchange.hpp"
#include "source/description.hpp"
#include "source/source.hpp"
#include "source/target.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// Reads a list and parses each item.
template <class Item, class Parse>
void read_items(trigger_reader& read, text::list_key key, std::vector<Item>& into, std::string_view expected,
                Parse parse) {
    for (const std::string& text : read.list(key)) {
        if (auto item = parse(text)) {
            into.push_back(*std::move(item));
        } else {
            read.add_unexpected(key.name(), expected, text);
        }
    }
}

std::optional<unsigned> parse_pid(std::string_view text) {
    const auto pid = parse_int64(text);
    if (!pid || *pid <= 0 || *pid > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
    return static_cast<unsigned>(*pid);
}

std::optional<std::string> parse_container(std::string_view text) {
    constexpr std::size_t shortest_id = 12;  // shortened by container runtimes
    const bool is_id = text.size() >= shortest_id && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
                           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                       });
    return is_id ? std::optional(std::string(text)) : std::nullopt;
}

void read_pods(trigger_reader& read, settings& settings) {
    read_items(read, keys["pods"], settings.pods,
               "a pod's name or namespace/name, where a trailing * matches any suffix", &parse_pod);
    if (!settings.pods.empty() && !settings.devices.empty())
        read.add_error("devices and pods both select GPUs; set only one of them", "pods");
}

void read_processes(trigger_reader& read, settings& settings) {
    process_filter& filter = settings.processes;
    read_items(read, keys["pids"], filter.pids, "process ids such as 4711", &parse_pid);
    read_items(read, keys["containers"], filter.containers,
               "ids of 12 to 64 hexadecimal digits, as `crictl ps` prints them", &parse_container);
    if (!filter.is_empty() && settings.quantity != nullptr && settings.quantity->kind != reading_kind::process) {
        read.add_error(
            "pids and containers select processes, but only process_utilization and process_memory_bytes have a value "
            "per process",
            filter.pids.empty() ? "containers" : "pids");
    }
}

}  // namespace

result<settings> read_settings(trigger_reader& read, const vendor& of) {
    auto out = read.begin<settings>();
    out.vendor = &of;
    read_metric(read, out);
    read_items(read, keys["devices"], out.devices,
               "an index such as 0, an instance such as 0:1, or a UUID (GPU-…, MIG-…)", &parse_wanted);
    if (of.has_key("pods")) read_pods(read, out);
    if (of.has_key("pids")) read_processes(read, out);
    if (out.reduction.reduce.empty()) out.reduction.reduce = "avg";
    read.read_reducer(keys["reduce"], out.reduction.reduce);
    out.scale = read.number(keys["scale"]).value_or(1.0);
    read.read_threshold();
    if (out.quantity != nullptr) {
        const std::string metric(out.quantity->name);
        out.texts.empty = "no value of " + metric;
        out.texts.not_finite = metric + " gives";
    }
    return read.end(format_text("error parsing {} metadata", of.type), of.type, std::move(out));
}

namespace {

class nvml_source final : public local_source {
  public:
    nvml_source(const description& described, std::shared_ptr<const settings> settings, std::shared_ptr<reader> reader,
                std::shared_ptr<http::loop> loop, std::string kubelet_socket)
        : local_source(described, std::move(loop),
                       "the GPU driver of this machine is not read over HTTP; fetch the value instead"),
          settings_(std::move(settings)),
          reader_(std::move(reader)),
          kubelet_socket_(std::move(kubelet_socket)) {}

    // Begins a poll.  If the trigger names pods, first asks the kubelet which GPUs they hold.
    step begin(poll& poll) override {
        if (settings_->pods.empty()) return read_gpus(settings_->devices, poll, {});
        queries out;
        out.push_back({held_gpus_request(kubelet_socket_), http::no_repeat()});
        return out;
    }

    step next(poll& poll, const std::vector<answered>& answers) override {
        if (!answers.front()) return judge_failure(answers.front().failure());
        auto held = read_held_gpus(answers.front()->answer, kubelet_socket_);
        if (!held) return judge_failure(held.take_failure());
        auto devices = gpus_of_pods(*held, settings_->pods);
        if (!devices) return judge_failure(devices.take_failure());
        return read_gpus(*devices, poll, *std::move(held));
    }

  private:
    local_read read_gpus(const std::vector<wanted_gpu>& devices, const poll& poll, held_gpus held) {
        reading_plan plan{settings_->quantity, devices, poll.now_ms, settings_->processes, past_};
        return [self = std::static_pointer_cast<nvml_source>(shared_from_this()), plan = std::move(plan),
                wanted = poll.wanted, held = std::move(held)](std::int64_t deadline_ms, callback<void(fetched)> done) {
            return self->reader_->read(
                self->loop(), plan, deadline_ms,
                [self, wanted, now_ms = plan.now_ms, held, done = std::move(done)](result<readings>&& readings) {
                    if (!readings) return done(judge_failure(readings.take_failure()));
                    add_holders(*readings, held);
                    done(judge_readings(*readings, *self->settings_, wanted, now_ms));
                });
        };
    }

    static void add_holders(readings& to, const held_gpus& held) {
        for (nvml::measured& value : to.values) {
            const extra_labels more = holder_labels(held, value.owner->uuid);
            value.labels.insert(value.labels.end(), more.begin(), more.end());
        }
    }

    const std::shared_ptr<const settings> settings_;
    const std::shared_ptr<reader> reader_;
    const std::string kubelet_socket_;
    const std::shared_ptr<past_readings> past_ = std::make_shared<past_readings>();  // guarded by the driver's lock
};

std::string request_key(const settings& settings) {
    std::string out =
        format_text("{}\n{}\n{}\n{}{}", settings.vendor->type, settings.quantity->name, settings.reduction.reduce,
                    shortest(settings.scale), settings.reduction.accept_partial ? " partial" : "");
    for (const wanted_gpu& wanted : settings.devices) out += "\n" + wanted.text;
    for (const wanted_pod& pod : settings.pods) out += "\npod " + pod.text;
    for (const unsigned pid : settings.processes.pids) out += "\npid " + std::to_string(pid);
    for (const std::string& id : settings.processes.containers) out += "\ncontainer " + id;
    return out;
}

query_shape shape_of(const settings& settings) {
    series_use use;
    use.metric = settings.quantity->name;
    if (settings.quantity->unit == "%") use.max = 100.0;
    if (settings.quantity->unit == "0 to 1") use.max = 1.0;
    use.scale = settings.scale;
    use.reduce = settings.reduction.reduce;
    return shape_of_series(use);
}

fetched judge(const reading& whole, const settings& settings) {
    return judge_values(formats::numbers_of(whole), settings);
}

// Checks that a tenant may read a value per process, which also shows containers of other namespaces.
result<void> may_read_processes(const settings& settings, const services& services) {
    if (settings.quantity->kind != reading_kind::process) return {};
    return services.permissions.tenant.check(auth::capability::foreign_metrics,
                                             "the usage of each process of the node");
}

// Returns the kubelet's socket; "" if the settings name no pods.
result<std::string> kubelet_socket(const settings& settings, const services& services) {
    if (settings.pods.empty()) return std::string();
    if (auto given = services.permissions.tenant.check(auth::capability::kubelet, "the kubelet's pod-resources socket");
        !given)
        return given.take_failure();
    if (!http::has_http2()) {
        return fail(error_class::unavailable,
                    "the kubelet requires HTTP/2, and this libcurl was built without it; link a libcurl with nghttp2");
    }
    const auto named = services.host ? services.host->environment(kubelet_socket_variable) : std::nullopt;
    return named && !named->empty() ? *named : std::string(usual_kubelet_socket);
}

}  // namespace

result<description> describe_gpus(trigger_reader& read, const vendor& of) {
    auto out = description_of<settings>(read, read_settings(read, of), {&judge, &request_key});
    if (!out) return out;
    const auto settings = out->settings_as<nvml::settings>();
    out->asks = settings->quantity->name;
    out->shape = shape_of(*settings);
    return out;
}

result<std::shared_ptr<metric_source>> open_on(function_ref<std::shared_ptr<reader>()> reader,
                                               const description& described, const services& services) {
    const auto settings = described.settings_as<nvml::settings>();
    if (auto given = may_read_processes(*settings, services); !given) return given.take_failure();
    auto socket = kubelet_socket(*settings, services);
    if (!socket) return socket.take_failure();
    return std::shared_ptr<metric_source>(
        std::make_shared<nvml_source>(described, settings, reader(), services.loop, *std::move(socket)));
}

result<description> describe(trigger_reader& read) { return describe_gpus(read, nvidia); }

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    return open_on(&shared_reader, described, services);
}

}  // namespace gputide::source::nvml
