// Combines the parts of the dcgm source: settings, requests, pages, rates, result.
#include "source/dcgm/dcgm.hpp"

#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "formats/exposition/page.hpp"
#include "source/access/access.hpp"
#include "source/description.hpp"
#include "source/source.hpp"
#include "source/target.hpp"

#include <cstdint>

namespace gputide::source::dcgm {
namespace {

// The combined readings of several exporters.
struct gathered {
    dcgm::picks picks;
    source::reading reading;
    std::string hint;
    std::vector<error> failures;
    std::size_t pages = 0;
};

error no_rate_yet(const settings& settings) {
    error out = fail(error_class::no_data,
                     "no rate of {} yet: the first reading of a counter has no rate, the next fetch will have one "
                     "(this is not a rate of 0)",
                     settings.metric);
    out.retryable = true;
    return out;
}

fetched judge(const reading& whole, const settings& settings) {
    if (settings.rate) return judge_failure(no_rate_yet(settings));
    const auto picked = picks_of(whole, settings);
    return picked ? judge_picks(*picked, settings, {}) : judge_failure(picked.failure());
}

class dcgm_source final : public metric_source {
  public:
    dcgm_source(const description& described, std::shared_ptr<const settings> settings, auth::authenticator access,
                std::shared_ptr<http::loop> loop)
        : metric_source(described, described.question + memory_of(*settings), std::move(access), std::move(loop)),
          settings_(std::move(settings)) {}

    // Returns the request to the only exporter; with several, only fetch() can query them.
    result<http::request> request(std::int64_t) const override {
        if (settings_->urls.size() == 1) return request_for(settings_->urls.front());
        return fail(
                   status::invalid,
                   "this trigger reads {} exporters, and a request can be shown only for one; fetch it, or set one url",
                   settings_->urls.size())
            .at(label());
    }

    std::vector<result<http::request>> requests(std::int64_t) const override {
        std::vector<result<http::request>> out;
        out.reserve(settings_->urls.size());
        for (const std::string& url : settings_->urls) out.push_back(request_for(url));
        return out;
    }

    result<source::reading> read(const http::answer& answer) const override { return read_series(answer, *settings_); }

    step next(poll& poll, const std::vector<answered>& answers) override {
        return judged(gather(answers, poll), poll.now_ms);
    }

  private:
    // Returns a key that is unique to a trigger with a rate: its state cannot be shared.
    std::string memory_of(const settings& settings) const {
        return settings.rate ? "\n" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) : std::string();
    }

    result<http::request> request_for(const std::string& url) const {
        http::request out;
        out.url = url;
        out.set("Accept", std::string(formats::exposition::accept));
        const auto parts = http::parse_url(url);
        out.carries_credential = parts && parts->has_user_info;
        out.attempt_timeout_ms = settings_->timeout_ms > 0 ? settings_->timeout_ms : limits::default_http_timeout_ms;
        out.connect_timeout_ms = out.attempt_timeout_ms;
        return prepared(std::move(out));
    }

    gathered gather(const std::vector<answered>& answers, const poll& poll) const {
        gathered out;
        out.pages = answers.size();
        for (std::size_t i = 0; i < answers.size(); ++i) {
            auto page = answers[i] ? read_page(answers[i]->answer, *settings_, i) : answers[i].failure();
            if (!page) {
                out.failures.push_back(outward(page.take_failure(), poll, answers[i]));
                continue;
            }
            merge(out.picks, page->picks);
            if (out.hint.empty()) out.hint = page->hint;
            if (poll.wanted == detail::everything) add_series(out.reading, answers[i]->answer);
        }
        return out;
    }

    void add_series(source::reading& reading, const http::answer& answer) const {
        auto more = read_series(answer, *settings_);
        if (!more) return;
        reading.result_type = more->result_type;
        for (series& series : more->series) reading.series.push_back(std::move(series));
    }

    // Reduces the picks to a sample.  If an exporter is missing, so are its GPUs in the value.
    fetched judged(gathered from, std::int64_t now_ms) {
        if (from.failures.size() == from.pages) return with_reading(judge_failure(from.failures.front()), from);
        from.reading.partial = !from.failures.empty();
        for (const error& why : from.failures) from.reading.warnings.push_back(why.message);
        if (from.reading.partial && !settings_->accept_partial) return with_reading(judge_failure(partial(from)), from);
        if (settings_->rate && !from.picks.all.empty()) {
            from.picks = history_.advance(std::move(from.picks), now_ms);
            if (from.picks.all.empty()) return with_reading(judge_failure(no_rate_yet(*settings_)), from);
        }
        fetched out = judge_picks(from.picks, *settings_, from.hint);
        if (out.sample.state == sample_state::ok) out = aged(std::move(out), now_ms);
        return with_reading(std::move(out), from);
    }

    error partial(const gathered& from) const {
        error out = from.failures.front();
        out.message = format_text(
            "{} of {} exporters returned no values, so their GPUs are missing ({}); repair them, or accept partial "
            "results (gputide.io/accept-partial: \"true\")",
            from.failures.size(), from.pages, out.message);
        out.status = status::partial;
        out.error_class = error_class::partial;
        out.retryable = true;
        return out;
    }

    // Checks the age.  Most pages have no timestamps: the value is then at most as old as the exporter's collect interval, and
    // counts as current.
    fetched aged(fetched out, std::int64_t now_ms) const {
        if (out.sample.time_ms == 0) out.sample.time_ms = now_ms;
        const std::int64_t age_ms = now_ms - out.sample.time_ms;
        if (settings_->max_age_ms <= 0 || age_ms <= settings_->max_age_ms) return out;
        return stale(
            std::move(out),
            format_text("the oldest sample is {} old; at most {} is allowed (gputide.io/max-sample-age); check "
                        "the exporter",
                        format_duration_ms(age_ms), format_duration_ms(settings_->max_age_ms)));
    }

    static fetched with_reading(fetched out, gathered& from) {
        out.reading = std::move(from.reading);
        return out;
    }

    const std::shared_ptr<const settings> settings_;
    counter_history history_;
};

query_shape shape_of(const settings& settings) {
    series_use use;
    use.metric = settings.metric;
    if (settings.is_ratio()) use.max = 1.0;
    use.is_rate = settings.rate;
    use.scale = settings.scale;
    use.group_reduce = settings.group_labels.empty() ? std::string_view() : settings.group_reduce;
    use.reduce = settings.reduce;
    return shape_of_series(use);
}

std::string request_key(const settings& settings, const manifest::trigger& trigger) {
    std::string out = "dcgm";
    for (const auto& [key, value] : trigger.metadata) out += "\n" + key + "=" + in_quotes(value, value.size());
    return out + "\n" + settings.reduce;
}

}  // namespace

result<description> describe(const manifest::trigger& trigger, const manifest::trigger_rules& rules, manifest::profile,
                             text::report* findings) {
    error lacking{status::ok};
    auto read = read_settings(trigger, rules, findings, &lacking);
    if (!read) return read.take_failure();
    const auto settings = std::make_shared<const dcgm::settings>(*std::move(read));
    description out = description_of(settings, &judge);
    out.lacking = std::move(lacking);
    out.asks = settings->metric;
    out.series_names = settings->numerator;
    out.is_rate = settings->rate;
    out.shape = shape_of(*settings);
    out.question = request_key(*settings, trigger);
    return out;
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    const auto settings = described.settings_as<dcgm::settings>();
    auto access = access::open(settings->access, {}, services);
    if (!access) return access.take_failure();
    return std::shared_ptr<metric_source>(
        std::make_shared<dcgm_source>(described, settings, *std::move(access), services.loop));
}

}  // namespace gputide::source::dcgm
