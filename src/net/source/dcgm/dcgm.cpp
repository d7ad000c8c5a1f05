// Settings of a dcgm trigger, its requests, and its source.
#include "source/dcgm/dcgm.hpp"

#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "formats/exposition/page.hpp"
#include "http/message.hpp"
#include "source/access/access.hpp"
#include "source/known_metrics.hpp"
#include "source/source.hpp"
#include "source/target.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

namespace gputide::source::dcgm {
namespace {

constexpr std::size_t max_urls = 256;
constexpr std::string_view memory_pressure = "memory_pressure";  // FB_USED / (FB_USED + FB_FREE)

void read_urls(trigger_reader& read, settings& settings) {
    settings.urls = read.list(keys["urls"]);
    if (settings.urls.size() > max_urls) {
        read.add_error(format_text("urls: expected at most 256 exporters, got {}; query a Prometheus that scrapes "
                                   "them instead (trigger type prometheus)",
                                   settings.urls.size()),
                       "urls");
    }
    for (std::string& text : settings.urls) {
        const auto parts = http::parse_url(text);
        if (!parts || parts->has_fragment) {
            read.add_error("url: expected an http or https URL such as http://dcgm-exporter:9400/metrics", "url");
        } else if (parts->path.empty() && !parts->has_query) {
            text += "/metrics";
        }
    }
    const std::set<std::string_view> different(settings.urls.begin(), settings.urls.end());
    if (different.size() != settings.urls.size()) {
        read.add_error("urls: an exporter is listed twice, so its GPUs would count twice", "urls");
    }
}

void add_names(std::vector<std::string>& to, std::string_view metric) {
    for (std::string& text : metric_names(metric)) {
        if (std::ranges::find(to, text) == to.end()) to.push_back(std::move(text));
    }
}

void read_metric(trigger_reader& read, settings& settings) {
    const preset* named = read_preset(read);
    if (named != nullptr && named->metrics.empty()) {
        read.add_error(format_text("gputide.io/preset: {} is a query; write it in a prometheus trigger", named->name),
                       "gputide.io/preset");
        named = nullptr;
    }
    if (named != nullptr && !read.is_written(keys["metric"])) settings.filled_by = named;
    settings.metric =
        read.text(keys["metric"], settings.filled_by == nullptr ? "" : *settings.filled_by->metrics.begin())
            .value_or("");
    std::vector<std::string> terms = read.list(keys["denominator"]);
    std::string_view numerator = settings.metric;
    if (settings.metric == memory_pressure) {
        if (!terms.empty())
            read.add_error("denominator: memory_pressure already has one; remove this key", "denominator");
        numerator = "DCGM_FI_DEV_FB_USED";
        terms = {"DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_FREE"};
    }
    add_names(settings.numerator, numerator);
    if (settings.filled_by != nullptr) {
        for (const std::string_view text : settings.filled_by->metrics) {
            if (text != memory_pressure) add_names(settings.numerator, text);
        }
        if (terms.empty())
            for (const std::string_view term : settings.filled_by->denominators) terms.emplace_back(term);
    }
    for (const std::string& entry : terms) add_names(settings.denominator, entry);
    settings.selector.metrics = settings.numerator;
    for (const std::string& item : settings.denominator) add_names(settings.selector.metrics, item);
    settings.leaves_instances_out = is_device_utilization(numerator);
    if (const known_metric* known = find_known_metric(numerator)) settings.reduction.max_value = known->max;
    settings.rate = read.flag(keys["rate"])
                        .value_or((settings.filled_by != nullptr && settings.filled_by->rate) || is_counter(numerator));
}

void read_selector(trigger_reader& read, settings& settings) {
    const auto text = read.text(keys["selector"]);
    if (!text) return;
    auto matchers = formats::exposition::parse_matchers(*text, &names_of_label);
    if (!matchers) return read.add_error("selector: " + matchers.failure().message, "selector");
    settings.selector.matchers = *std::move(matchers);
}

// Reads `by`: "pod" means namespace and pod; every other word is a label.
void read_groups(trigger_reader& read, settings& settings) {
    for (const std::string& label : read.list(keys["by"])) {
        if (names_of_label(label) == names_of_label("pod"))
            settings.group_labels.push_back(names_of_label("namespace"));
        settings.group_labels.push_back(names_of_label(label));
    }
}

bool speaks_of_pods(const settings& settings) {
    const formats::exposition::label_names pod = names_of_label("pod");
    const auto& matchers = settings.selector.matchers;
    return std::ranges::find(settings.group_labels, pod) != settings.group_labels.end() ||
           std::ranges::any_of(matchers,
                               [&pod](const formats::exposition::matcher& matcher) { return matcher.names == pod; });
}

void read_numbers(trigger_reader& read, settings& settings) {
    std::string& reduce = settings.reduction.reduce;
    if (reduce.empty()) reduce = settings.filled_by == nullptr ? "" : settings.filled_by->reduce;
    if (reduce.empty()) reduce = "avg";
    read.read_reducer(keys["reduce"], reduce);
    read.read_reducer(keys["groupReduce"], settings.group_reduce);
    settings.scale = read.number(keys["scale"]).value_or(1.0);
}

void read_transport(trigger_reader& read, settings& settings) {
    settings.timeout_ms = read.duration_ms(keys["timeout"]).value_or(0);
    settings.access = access::read_settings(read);
    settings.access.strict = false;  // not a trigger of KEDA, so it copies none of its defects
    settings.access.unsafe_ssl = read.flag(keys["unsafeSsl"]).value_or(false);
    access::check_headers(read, settings.access);
    if (settings.access.is_cloud()) {
        read.add_error(
            format_text("podIdentity {} is not supported for an exporter; use authModes, bearer-file, bearer-exec, or "
                        "no authentication",
                        read.trigger().auth.provider),
            "authModes");
    }
}

void warn_about(const trigger_reader& read, const settings& settings) {
    for (const std::string& url : settings.urls) access::warn_plain_http(read, "urls", url, settings.access);
    access::warn_unverified(read, settings.access, "the exporter");
    if (settings.filled_by != nullptr) note_preset(read, *settings.filled_by, settings.metric);
}

}  // namespace

result<settings> read_settings(trigger_reader& read) {
    auto out = read.begin<settings>();
    read_urls(read, out);
    read_metric(read, out);
    read_selector(read, out);
    read_groups(read, out);
    out.takes_whole_devices = is_split_by_pods(out.numerator.front()) && !speaks_of_pods(out);
    read_numbers(read, out);
    read_transport(read, out);
    read.read_threshold();
    warn_about(read, out);
    return read.end("error parsing dcgm metadata", "dcgm", std::move(out));
}

namespace {

// The combined readings of several exporters.
struct gathered {
    dcgm::picks picks;
    source::reading reading;
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
    return picked ? judge_picks(*picked, settings) : judge_failure(picked.failure());
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
            merge(out.picks, *page);
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
        if (from.reading.partial && !settings_->reduction.accept_partial) {
            return with_reading(judge_failure(partial_error(from.failures.front(), from.failures.size(), from.pages,
                                                            "exporters returned no values, so their GPUs are missing")),
                                from);
        }
        if (settings_->rate && !from.picks.all.empty()) {
            from.picks = history_.advance(std::move(from.picks), now_ms);
            if (from.picks.all.empty()) return with_reading(judge_failure(no_rate_yet(*settings_)), from);
        }
        fetched out = judge_picks(from.picks, *settings_);
        if (out.sample.state == sample_state::ok) out = aged(std::move(out), now_ms);
        return with_reading(std::move(out), from);
    }

    // Checks the age.  Most pages have no timestamps: the value is then at most as old as the exporter's collect interval, and
    // counts as current.
    fetched aged(fetched out, std::int64_t now_ms) const {
        if (out.sample.time_ms == 0) out.sample.time_ms = now_ms;
        const std::int64_t age_ms = now_ms - out.sample.time_ms;
        if (settings_->max_age_ms <= 0 || age_ms <= settings_->max_age_ms) return out;
        return stale(std::move(out), age_ms, settings_->max_age_ms, "the oldest sample", "check the exporter");
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
    use.reduce = settings.reduction.reduce;
    return shape_of_series(use);
}

std::string request_key(const manifest::trigger& trigger, const settings& settings) {
    std::string out = "dcgm";
    for (const auto& [key, value] : trigger.metadata) out += "\n" + key + "=" + in_quotes(value, value.size());
    return out + "\n" + settings.reduction.reduce;
}

}  // namespace

result<description> describe(trigger_reader& read) {
    auto out = description_of<settings>(read, read_settings(read), {&judge, nullptr, &settings::metric});
    if (!out) return out;
    const auto settings = out->settings_as<dcgm::settings>();
    out->series_names = settings->numerator;
    out->is_rate = settings->rate;
    out->shape = shape_of(*settings);
    out->question = request_key(read.trigger(), *settings);
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
