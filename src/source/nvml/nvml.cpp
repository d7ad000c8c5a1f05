// Joins the parts of the nvml source: settings, driver, judgement.
#include "source/nvml/nvml.hpp"

#include "base/text.hpp"
#include "source/exchange.hpp"
#include "source/nvml/judge.hpp"
#include "source/nvml/settings.hpp"
#include "source/reduce.hpp"
#include "source/target.hpp"

#include <utility>

namespace gputide::source::nvml {
namespace {

class nvml_source final : public metric_source, public std::enable_shared_from_this<nvml_source> {
  public:
    nvml_source(std::shared_ptr<driver> gpus, settings what, std::string label, std::shared_ptr<http::loop> on)
        : gpus_(std::move(gpus)), what_(std::move(what)), label_(std::move(label)), on_(std::move(on)) {}

    const source::target& target() const override { return what_.target; }

    std::string query_key() const override {
        std::string out = "nvml\n" + std::string(what_.quantity->name) + "\n" + what_.reduction.reduce + "\n" +
                          shortest(what_.scale) + (what_.reduction.accept_partial ? " partial" : "");
        for (const wanted_gpu& one : what_.devices) out += "\n" + one.text;
        return out;
    }

    result<http::request> request(std::int64_t) const override { return no_endpoint(); }
    result<source::reading> read(const http::answer&) const override { return no_endpoint(); }

    fetched judge(result<source::reading> got) const override {
        if (!got) return judge_failure(std::move(got).failure());
        fetched out = judge_values(numbers_of(*got), what_);
        out.reading = *std::move(got);
        return out;
    }

    // The driver is asked on the loop, which waits for it: a call into NVML takes no deadline.
    std::shared_ptr<http::exchange> fetch(std::int64_t now_ms, std::int64_t, std::function<void(fetched)> done,
                                          detail wanted) override {
        return run_soon(on_, [self = shared_from_this(), now_ms, wanted, done = std::move(done)] {
            done(self->measured(now_ms, wanted));
        });
    }

  private:
    error no_endpoint() const {
        return fail_at(error_class::unavailable, label_,
                       "the NVIDIA driver of this machine is asked by calls, not over HTTP; fetch the value instead");
    }

    fetched measured(std::int64_t now_ms, detail wanted) const {
        const auto got = gpus_->read(*what_.quantity, what_.devices, now_ms);
        fetched out = got ? judge_readings(*got, what_, now_ms) : judge_failure(got.failure());
        if (got && wanted == detail::everything) {
            source::reading all = reading_of(*got, what_, now_ms);
            out.reading.result_type = std::move(all.result_type);
            out.reading.series = std::move(all.series);
        }
        if (out.why.status != status::ok && out.why.where.empty()) out.why.where = named(label_);
        return out;
    }

    const std::shared_ptr<driver> gpus_;
    const settings what_;
    const std::string label_;
    const std::shared_ptr<http::loop> on_;
};

}  // namespace

result<std::shared_ptr<metric_source>> open_on(std::shared_ptr<driver> gpus, const config::trigger& from,
                                               const config::trigger_rules& rules, const services& with,
                                               config::report* findings) {
    auto what = read_settings(from, rules, findings);
    if (!what) return std::move(what).failure();
    return std::shared_ptr<metric_source>(
        std::make_shared<nvml_source>(std::move(gpus), *std::move(what), from.label(), with.loop));
}

result<std::shared_ptr<metric_source>> open(const config::trigger& from, const config::trigger_rules& rules,
                                            config::profile, const services& with, config::report* findings) {
    return open_on(shared_driver(), from, rules, with, findings);
}

}  // namespace gputide::source::nvml
