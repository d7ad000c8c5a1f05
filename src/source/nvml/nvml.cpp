// Joins the parts of the nvml source: settings, driver, judgement.
#include "source/nvml/nvml.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/reduce.hpp"
#include "source/judge.hpp"
#include "source/nvml/judge.hpp"
#include "source/nvml/settings.hpp"
#include "source/source.hpp"

#include <utility>

namespace gputide::source::nvml {
namespace {

class nvml_source final : public metric_source, public std::enable_shared_from_this<nvml_source> {
  public:
    nvml_source(const description& described, std::shared_ptr<const settings> settings, std::shared_ptr<reader> reader,
                std::shared_ptr<http::loop> loop)
        : metric_source(described, described.question, std::nullopt),
          settings_(std::move(settings)),
          reader_(std::move(reader)),
          loop_(std::move(loop)) {}

    result<http::request> request(std::int64_t) const override { return no_endpoint(); }
    result<source::reading> read(const http::answer&) const override { return no_endpoint(); }

    std::shared_ptr<http::exchange> fetch(std::int64_t now_ms, std::int64_t deadline_ms,
                                          std::function<void(fetched)> done, detail wanted) override {
        return reader_->read(
            loop_, {settings_->quantity, settings_->devices, now_ms, settings_->processes, past_}, deadline_ms,
            [self = shared_from_this(), now_ms, wanted, done = std::move(done)](const result<readings>& readings) {
                done(self->measured(readings, now_ms, wanted));
            });
    }

  private:
    error no_endpoint() const {
        return fail_at(error_class::unavailable, label(),
                       "the NVIDIA driver of this machine is asked by calls, not over HTTP; fetch the value instead");
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
    const std::shared_ptr<past_readings> past_ = std::make_shared<past_readings>();  // the driver's lock guards it
};

std::string request_key(const settings& settings) {
    std::string out = format_text("nvml\n{}\n{}\n{}{}", settings.quantity->name, settings.reduction.reduce,
                                  shortest(settings.scale), settings.reduction.accept_partial ? " partial" : "");
    for (const wanted_gpu& wanted : settings.devices) out += "\n" + wanted.text;
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

}  // namespace

result<description> describe_on(const std::function<std::shared_ptr<reader>()>& reader, const config::trigger& trigger,
                                const config::trigger_rules& rules) {
    auto read = read_settings(trigger, rules);
    if (!read) return std::move(read).failure();
    const auto settings = std::make_shared<const nvml::settings>(*std::move(read));
    description out;
    out.target = settings->target;
    out.asks = settings->quantity->name;
    out.shape = shape_of(*settings);
    out.question = request_key(*settings);
    out.to_sample = [settings](const reading& whole) { return judge_values(formats::numbers_of(whole), *settings); };
    out.opener = [settings, reader](const description& described, const services& services) {
        return result<std::shared_ptr<metric_source>>(
            std::make_shared<nvml_source>(described, settings, reader(), services.loop));
    };
    return out;
}

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules, config::profile,
                             config::report*) {
    return describe_on(&shared_reader, trigger, rules);
}

}  // namespace gputide::source::nvml
