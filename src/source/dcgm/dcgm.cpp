// Joins the parts of the dcgm source: settings, requests, pages, rates, judgement.
#include "source/dcgm/dcgm.hpp"

#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "source/dcgm/judge.hpp"
#include "source/dcgm/rates.hpp"
#include "source/dcgm/scrape.hpp"
#include "source/dcgm/settings.hpp"
#include "source/exposition/format.hpp"
#include "source/prometheus/access.hpp"
#include "source/reduce.hpp"
#include "source/target.hpp"

#include <cstdint>
#include <map>

namespace gputide::source::dcgm {
namespace {

// What several exporters gave together.
struct gathered {
    dcgm::picks picks;
    source::reading reading;
    std::string hint;
    std::vector<error> failures;
    std::size_t pages = 0;
};

class dcgm_source final : public metric_source, public std::enable_shared_from_this<dcgm_source> {
  public:
    dcgm_source(settings what, auth::authenticator by, services with, const config::trigger& from)
        : what_(std::move(what)),
          by_(std::move(by)),
          with_(std::move(with)),
          label_(from.label()),
          written_(written(from.metadata)) {}

    const source::target& target() const override { return what_.target; }

    const auth::authenticator* access() const override { return &by_; }

    // A rate has a memory of its own, so that no two triggers share it.
    std::string query_key() const override {
        const std::string memory = what_.rate ? std::to_string(reinterpret_cast<std::uintptr_t>(this)) : "";
        return "dcgm" + written_ + "\n" + what_.reduce + "\n" + by_.key() + "\n" + memory;
    }

    // Of the one exporter; where there are several, only fetch() asks them.
    result<http::request> request(std::int64_t) const override {
        if (what_.urls.size() == 1) return request_for(what_.urls.front());
        return fail_at(status::invalid, label_,
                       "this trigger asks " + std::to_string(what_.urls.size()) +
                           " exporters, and a request can be shown for one only; fetch it, or give one url");
    }

    result<source::reading> read(const http::answer& got) const override { return read_series(got, what_); }

    fetched judge(result<source::reading> got) const override {
        if (!got) return judge_failure(std::move(got).failure());
        if (what_.rate) return judge_failure(no_rate_yet());
        fetched out = judge_picks(picks_of(*got, what_), what_, {});
        out.reading = *std::move(got);
        return out;
    }

    std::shared_ptr<http::exchange> fetch(std::int64_t now_ms, std::int64_t deadline_ms,
                                          std::function<void(fetched)> done, detail wanted) override {
        std::vector<result<http::request>> requests;
        for (const std::string& url : what_.urls) requests.push_back(request_for(url));
        const auto self = shared_from_this();
        return ask_all(with_.loop, by_, requests, deadline_ms,
                       [self, now_ms, wanted, done = std::move(done)](const std::vector<result<exchanged>>& got) {
                           done(self->judged(self->gather(got, wanted), now_ms));
                       });
    }

  private:
    static std::string written(const std::map<std::string, std::string>& metadata) {
        std::string out;
        for (const auto& [key, value] : metadata) out += "\n" + key + "=" + quoted(value, value.size());
        return out;
    }

    result<http::request> request_for(const std::string& url) const {
        http::request out;
        out.url = url;
        out.set("Accept", std::string(exposition::accept));
        const auto parts = http::parse_url(url);
        out.carries_credential = parts && parts->has_user_info;
        out.attempt_timeout_ms = what_.timeout_ms > 0 ? what_.timeout_ms : limits::default_http_timeout_ms;
        out.connect_timeout_ms = out.attempt_timeout_ms;
        if (auto prepared = by_.prepare(out); !prepared) return at_label(std::move(prepared).failure());
        return out;
    }

    error at_label(error why) const {
        if (why.where.empty()) why.where = named(label_);
        return why;
    }

    error no_rate_yet() const {
        error out =
            fail_at(error_class::no_data, label_,
                    "no rate of " + what_.metric +
                        " yet: a counter's first reading gives none, the next fetch will (this is no rate of 0)");
        out.retryable = true;
        return out;
    }

    error say(error why, const exchanged& by) const {
        return told(std::move(why), label_, by.sent, with_.loop->wall_ms(), by.retry_at_ms);
    }

    gathered gather(const std::vector<result<exchanged>>& got, detail wanted) const {
        gathered out;
        out.pages = got.size();
        for (std::size_t i = 0; i < got.size(); ++i) {
            if (!got[i]) {
                out.failures.push_back(told(got[i].failure(), label_, {}, with_.loop->wall_ms(), 0));
                continue;
            }
            auto page = read_page(got[i]->got, what_, i);
            if (!page) {
                out.failures.push_back(say(std::move(page).failure(), *got[i]));
                continue;
            }
            merge(out.picks, page->picks);
            if (out.hint.empty()) out.hint = page->hint;
            if (wanted == detail::everything) add_series(out.reading, got[i]->got);
        }
        return out;
    }

    void add_series(source::reading& to, const http::answer& got) const {
        auto more = read_series(got, what_);
        if (!more) return;
        to.result_type = more->result_type;
        for (series& one : more->series) to.series.push_back(std::move(one));
    }

    // With an exporter missing, its GPUs are missing in the number.
    fetched judged(gathered from, std::int64_t now_ms) const {
        if (from.failures.size() == from.pages) return with_reading(judge_failure(from.failures.front()), from);
        from.reading.partial = !from.failures.empty();
        for (const error& one : from.failures) from.reading.warnings.push_back(one.message);
        if (from.reading.partial && !what_.accept_partial) return with_reading(judge_failure(partial(from)), from);
        if (what_.rate && !from.picks.all.empty()) {
            from.picks = history_.advance(std::move(from.picks), now_ms);
            if (from.picks.all.empty()) return with_reading(judge_failure(no_rate_yet()), from);
        }
        fetched out = judge_picks(from.picks, what_, from.hint);
        if (out.sample.state == sample_state::ok) out = aged(std::move(out), now_ms);
        return with_reading(std::move(out), from);
    }

    error partial(const gathered& from) const {
        error out = from.failures.front();
        out.message = std::to_string(from.failures.size()) + " of " + std::to_string(from.pages) +
                      " exporters gave no numbers, so those of their GPUs are missing (" + out.message +
                      "); repair them, or accept what is left by name (gputide.io/accept-partial: \"true\")";
        out.status = status::partial;
        out.error_class = error_class::partial;
        out.retryable = true;
        return out;
    }

    // Most pages carry no times: then the number is as old as the exporter's collect interval at most, and counts as read now.
    fetched aged(fetched out, std::int64_t now_ms) const {
        if (out.sample.time_ms == 0) out.sample.time_ms = now_ms;
        const std::int64_t age_ms = now_ms - out.sample.time_ms;
        if (what_.max_age_ms <= 0 || age_ms <= what_.max_age_ms) return out;
        out.why = fail(error_class::stale, "the oldest sample is " + format_duration_ms(age_ms) + " old, " +
                                               format_duration_ms(what_.max_age_ms) +
                                               " are allowed (gputide.io/max-sample-age); check the exporter");
        out.sample.state = sample_state::stale;
        out.sample.status = status::no_data;
        out.sample.value = 0.0;
        return out;
    }

    fetched with_reading(fetched out, gathered& from) const {
        if (out.why.status != status::ok) out.why = at_label(std::move(out.why));
        out.reading = std::move(from.reading);
        return out;
    }

    const settings what_;
    const auth::authenticator by_;
    const services with_;
    const std::string label_;
    const std::string written_;  // the metadata
    mutable counter_history history_;
};

}  // namespace

result<std::shared_ptr<metric_source>> open(const config::trigger& from, const config::trigger_rules& rules,
                                            config::profile, const services& with, config::report* findings) {
    auto what = read_settings(from, rules, findings);
    if (!what) return std::move(what).failure();
    auto by = prometheus::open_access(what->access, from.auth, with);
    if (!by) return at_trigger(std::move(by).failure(), from);
    return std::shared_ptr<metric_source>(std::make_shared<dcgm_source>(*std::move(what), *std::move(by), with, from));
}

}  // namespace gputide::source::dcgm
