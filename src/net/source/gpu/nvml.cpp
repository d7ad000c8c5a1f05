// Joins the parts of the nvml source: settings, driver, judgement.
#include "source/gpu/nvml.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/reduce.hpp"
#include "http/captured.hpp"
#include "http/retry.hpp"
#include "source/gpu/judge.hpp"
#include "source/gpu/settings.hpp"
#include "source/judge.hpp"
#include "source/source.hpp"
#include "source/steps.hpp"

#include <utility>

namespace gputide::source::nvml {
namespace {

class nvml_source final : public metric_source, public std::enable_shared_from_this<nvml_source> {
  public:
    nvml_source(const description& described, std::shared_ptr<const settings> settings, std::shared_ptr<reader> reader,
                std::shared_ptr<http::loop> loop, std::string kubelet_socket)
        : metric_source(described, described.question, std::nullopt),
          settings_(std::move(settings)),
          reader_(std::move(reader)),
          loop_(std::move(loop)),
          kubelet_socket_(std::move(kubelet_socket)) {}

    result<http::request> request(std::int64_t) const override { return no_endpoint(); }
    result<source::reading> read(const http::answer&) const override { return no_endpoint(); }

    std::shared_ptr<http::exchange> fetch(std::int64_t now_ms, std::int64_t deadline_ms,
                                          std::function<void(fetched)> done, detail wanted) override {
        poll one{now_ms, deadline_ms, wanted, std::move(done)};
        return settings_->pods.empty() ? read_gpus(settings_->devices, std::move(one), {})
                                       : ask_kubelet(std::move(one));
    }

  private:
    struct poll {
        std::int64_t now_ms = 0;
        std::int64_t deadline_ms = 0;
        detail wanted = detail::value;
        std::function<void(fetched)> done;
    };

    std::shared_ptr<http::exchange> read_gpus(const std::vector<wanted_gpu>& devices, poll one, held_gpus held) {
        const std::int64_t deadline_ms = one.deadline_ms;
        reading_plan plan{settings_->quantity, devices, one.now_ms, settings_->processes, past_};
        return reader_->read(
            loop_, std::move(plan), deadline_ms,
            [self = shared_from_this(), one = std::move(one), held = std::move(held)](result<readings> readings) {
                if (readings) add_holders(*readings, held);
                one.done(self->measured(readings, one.now_ms, one.wanted));
            });
    }

    // First which GPUs the pods hold now, then their values.
    std::shared_ptr<http::exchange> ask_kubelet(poll one) {
        const auto out = std::make_shared<steps>();
        const std::int64_t deadline_ms = one.deadline_ms;
        out->carry(http::send_with_retry(
            *loop_, held_gpus_request(kubelet_socket_), http::no_repeat(), deadline_ms,
            [self = shared_from_this(), one = std::move(one), out](http::retried retried) mutable {
                auto held = read_held_gpus(retried.last, self->kubelet_socket_);
                if (!held) return one.done(self->measured(held.failure(), one.now_ms, one.wanted));
                auto devices = gpus_of_pods(*held, self->settings_->pods);
                if (!devices) return one.done(self->measured(devices.failure(), one.now_ms, one.wanted));
                out->carry(self->read_gpus(*devices, std::move(one), *std::move(held)));
            }));
        return out;
    }

    static void add_holders(readings& to, const held_gpus& held) {
        for (nvml::measured& value : to.values) {
            const extra_labels more = holder_labels(held, value.owner->uuid);
            value.labels.insert(value.labels.end(), more.begin(), more.end());
        }
    }

    error no_endpoint() const {
        return fail_at(error_class::unavailable, label(),
                       "the GPU driver of this machine is asked by calls, not over HTTP; fetch the value instead");
    }

    fetched measured(const result<readings>& readings, std::int64_t now_ms, detail wanted) const {
        fetched out = readings ? judge_readings(*readings, *settings_, now_ms) : judge_failure(readings.failure());
        if (readings && wanted == detail::everything) {
            source::reading all = reading_of(*readings, *settings_, now_ms);
            out.reading.result_type = std::move(all.result_type);
            out.reading.series = std::move(all.series);
        }
        if (out.why.status != status::ok) out.why = at_label(std::move(out.why));
        return out;
    }

    const std::shared_ptr<const settings> settings_;
    const std::shared_ptr<reader> reader_;
    const std::shared_ptr<http::loop> loop_;
    const std::string kubelet_socket_;
    const std::shared_ptr<past_readings> past_ = std::make_shared<past_readings>();  // the driver's lock guards it
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

// A value for each process also tells of the containers of other namespaces.
result<void> may_read_processes(const settings& settings, const services& services) {
    if (settings.quantity->kind != reading_kind::process) return {};
    return services.permissions.tenant.check(auth::capability::foreign_metrics, "the use of each process of the node");
}

// Where the kubelet is asked for pods; "" where the settings name none.
result<std::string> kubelet_socket(const settings& settings, const services& services) {
    if (settings.pods.empty()) return std::string();
    if (auto given = services.permissions.tenant.check(auth::capability::kubelet, "the kubelet's pod-resources socket");
        !given)
        return std::move(given).failure();
    if (!http::has_http2()) {
        return fail(error_class::unavailable,
                    "the kubelet is asked over HTTP/2, and this libcurl was built without it; link one with nghttp2");
    }
    const auto named = services.host ? services.host->environment(kubelet_socket_variable) : std::nullopt;
    return named && !named->empty() ? *named : std::string(usual_kubelet_socket);
}

}  // namespace

result<description> describe_gpus(const config::trigger& trigger, const config::trigger_rules& rules,
                                  const vendor& of) {
    auto read = read_settings(trigger, rules, of);
    if (!read) return std::move(read).failure();
    const auto settings = std::make_shared<const nvml::settings>(*std::move(read));
    description out = description_of(settings, &judge);
    out.asks = settings->quantity->name;
    out.shape = shape_of(*settings);
    out.question = request_key(*settings);
    return out;
}

result<std::shared_ptr<metric_source>> open_on(const std::function<std::shared_ptr<reader>()>& reader,
                                               const description& described, const services& services) {
    const auto settings = described.settings_as<nvml::settings>();
    if (auto given = may_read_processes(*settings, services); !given) return std::move(given).failure();
    auto socket = kubelet_socket(*settings, services);
    if (!socket) return std::move(socket).failure();
    return std::shared_ptr<metric_source>(
        std::make_shared<nvml_source>(described, settings, reader(), services.loop, *std::move(socket)));
}

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules, config::profile,
                             config::report*) {
    return describe_gpus(trigger, rules, nvidia);
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    return open_on(&shared_reader, described, services);
}

}  // namespace gputide::source::nvml
