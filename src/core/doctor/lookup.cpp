// Sends requests and waits.  Then look-ups for triggers that query Prometheus, and for those that read an exporter's page.
#include "base/format_text.hpp"
#include "base/stable_order.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "doctor/examine.hpp"
#include "doctor/judge.hpp"
#include "formats/exposition/page.hpp"
#include "formats/promql/promql.hpp"
#include "formats/query_api/parse.hpp"
#include "http/client.hpp"
#include "http/exchange.hpp"
#include "source/description.hpp"
#include "source/known_metrics.hpp"

#include <algorithm>
#include <set>

namespace gputide::doctor {

namespace {

constexpr std::int64_t look_ms = 5'000;  // per attempt: a host that drops packets must not use up the whole time

http::request head_of(const http::url_parts& url, std::shared_ptr<const http::tls_settings> tls) {
    http::request out;
    out.method = "HEAD";
    std::string authority = http::host_and_port(url.host, url.port);
    if (url.port == (url.scheme == "https" ? 443 : 80)) authority.erase(authority.rfind(':'));
    out.url = format_text("{}://{}/", url.scheme, authority);
    out.tls = std::move(tls);
    out.wants_certificates = url.scheme == "https";
    out.connect_timeout_ms = look_ms;
    out.attempt_timeout_ms = look_ms;
    return out;
}

std::shared_ptr<const http::tls_settings> unverified(const std::shared_ptr<const http::tls_settings>& tls_settings) {
    http::tls_settings out;
    if (tls_settings) {
        out.server_name = tls_settings->server_name;
        out.connect_to = tls_settings->connect_to;
        out.proxy = tls_settings->proxy;
    }
    out.verify = false;
    return std::make_shared<const http::tls_settings>(std::move(out));
}

}  // namespace

http::answer asker::send(http::request request) const {
    auto retried = http::wait<http::retried>(
        *on_,
        [&](callback<void(http::retried)> done) {
            return http::send_with_retry(*on_, std::move(request), http::no_repeat(), deadline_ms_, std::move(done));
        },
        deadline_ms_, cancel_);
    if (retried) return std::move(retried->last);
    return {retried.failure().status == status::cancelled ? http::fault::cancelled : http::fault::deadline,
            retried.failure().message};
}

result<auth::token> asker::token(auth::token_cache& token_cache, const std::shared_ptr<auth::credential>& who,
                                 const std::string& scope) const {
    return http::flat(http::wait<result<auth::token>>(
        *on_, [&](auth::token_done done) { return token_cache.get(who, scope, deadline_ms_, std::move(done)); },
        deadline_ms_, cancel_));
}

source::fetched asker::fetch(source::metric_source& metric_source, std::int64_t now_ms) const {
    auto fetched = http::wait<source::fetched>(
        *on_,
        [&](callback<void(source::fetched)> done) {
            return metric_source.fetch(now_ms, deadline_ms_, std::move(done), source::detail::everything);
        },
        deadline_ms_, cancel_);
    return fetched ? *std::move(fetched) : source::judge_failure(fetched.take_failure());
}

reach asker::look_at(const std::string& url, const std::shared_ptr<const http::tls_settings>& tls,
                     bool is_http2) const {
    reach out;
    const auto parts = http::parse_url(url);
    if (!parts) return out;
    http::request what = head_of(*parts, tls);
    what.is_http2 = is_http2;
    out.url = what.url.substr(0, what.url.size() - 1);
    out.host = parts->host;
    out.verified = tls == nullptr || tls->verify;
    out.answer = send(what);
    out.now_ms = wall_ms();
    std::vector<std::string> pem = out.answer.certificates;
    if (out.answer.fault == http::fault::tls_verify) {
        out.roots = out.answer.roots;
        what.tls = unverified(tls);
        pem = send(std::move(what)).certificates;
    }
    out.chain = read_chain(pem, parts->host);
    if (const auto date = out.answer.response.header("date")) out.peer_ms = parse_http_date(*date);
    return out;
}

void asker::pause(std::int64_t ms) const {
    const std::int64_t until_ms = steady_ms() + std::min(ms, std::max<std::int64_t>(0, left_ms()));
    (void)http::drive_until(
        *on_, [this, until_ms] { return steady_ms() >= until_ms; }, until_ms - http::last_words_ms, cancel_);
}

// Look-ups for triggers that query Prometheus.

namespace {

constexpr std::size_t max_selectors = 4;
constexpr std::size_t max_matchers = 8;  // one query each
constexpr std::size_t max_past = 200;    // series with a query of their past: 200 × 5 min at 15 s are 4,000 points
constexpr const char* window = "[5m]";
constexpr std::int64_t max_unix_time_age_ms = 86'400'000;

// Sends another query through a copy of the trigger; a failure counts as an empty result.
std::vector<source::series> ask(const examined_trigger& examined, const std::string& query) {
    manifest::trigger other = examined.trigger;
    other.metadata["query"] = query;
    other.metadata["ignoreNullValues"] = "false";
    other.rules = {};
    const auto described = source::describe(other, other.rules, manifest::profile::standard, nullptr);
    if (!described) return {};
    const auto opened = source::open(*described, examined.services);
    if (!opened) return {};
    return examined.by.fetch(**opened, examined.now_ms).reading.series;
}

// Returns a pattern for names that begin with the same word, in any case and with either separator: "(?i)vllm[_:].*" for
// vllm_num_requests_waiting, "(?i)DCGM[_:].*" for DCGM_FI_DEV_GPU_UTIL.
std::string family_of(const std::string& metric) {
    const std::size_t end = metric.find_first_of("_:");
    return "(?i)" + metric.substr(0, end) + (end == std::string::npos ? ".*" : "[_:].*");
}

std::vector<std::string> names_like(const examined_trigger& examined, const std::string& metric) {
    std::set<std::string> out;
    for (const source::series& series :
         ask(examined, "group by (__name__) ({__name__=~\"" + family_of(metric) + "\"})")) {
        out.emplace(label_value(series.labels, "__name__"));
    }
    return {out.begin(), out.end()};
}

std::vector<std::string> targets_down(const examined_trigger& examined) {
    std::vector<std::string> out;
    for (const source::series& series : ask(examined, "up == 0")) {
        out.push_back(std::string(label_value(series.labels, "job")) + " at " +
                      std::string(label_value(series.labels, "instance")));
    }
    return out;
}

// Searches for series if the selector finds none: without one of its matchers, then the bare metric, then other metrics.
void look_around(const examined_trigger& examined, selection& selection) {
    for (std::size_t i = 0; i < selection.matchers.size() && i < max_matchers && selection.nearby.empty(); ++i) {
        selection.nearby = labels_of(ask(examined, selection.text_without(i)));
    }
    if (selection.nearby.empty() && selection.matchers.size() > 1)
        selection.nearby = labels_of(ask(examined, selection.metric));
    if (!selection.nearby.empty()) return;
    selection.metrics_alike = names_like(examined, selection.metric);
    selection.targets_down = targets_down(examined);
}

void note_ages(const std::vector<source::series>& times, const examined_trigger& examined, background& out) {
    for (const source::series& time : times) {
        const auto time_ms =
            time.points.empty() ? std::nullopt : formats::query_api::milliseconds(time.points.back().value);
        // No Prometheus looks back further; another API may return something else.
        const bool is_time = time_ms && examined.now_ms - *time_ms < max_unix_time_age_ms;
        if (is_time && (!out.oldest_ms || *time_ms < *out.oldest_ms)) out.oldest_ms = time_ms;
    }
}

// Returns a query for metrics of the same GPUs that change all the time: utilization may be constant; energy is not, power
// hardly.
std::string pulse_of(const selection& selection) {
    auto other = selection;
    other.metric.clear();
    pattern none;
    other.matchers.push_back(
        {"__name__", "=~", std::string(signals_beside_utilization) + "|" + selection.metric, none});
    return other.text() + window;
}

void look_back(const examined_trigger& examined, const selection& selection, background& out) {
    if (selection.found.size() > max_past) return;
    out.past = ask(examined, selection.text() + window);
    if (selection.metric.compare(0, 5, "DCGM_") == 0) out.beside = ask(examined, pulse_of(selection));
    const std::vector<source::series>& pulse = out.beside.empty() ? out.past : out.beside;
    if (!pulse.empty()) out.tempo = measure(pulse);
}

background behind_query(const examined_trigger& examined, const std::string& query) {
    background out;
    for (const std::string& text : formats::promql::selectors_of(query)) {
        auto selector = read_selector(text);
        if (!selector || selector->metric.empty()) continue;
        const std::vector<source::series> times = ask(examined, "timestamp(" + text + ")");
        selector->found = labels_of(times);
        selector->looked = true;
        note_ages(times, examined, out);
        if (selector->found.empty()) {
            look_around(examined, *selector);
        } else if (out.metric.empty()) {
            out.metric = selector->metric;
            look_back(examined, *selector, out);
        }
        out.selections.push_back(*std::move(selector));
        if (out.selections.size() == max_selectors) break;
    }
    return out;
}

}  // namespace

std::string examined_trigger::metadata(const char* key) const {
    const auto found = trigger.metadata.find(key);
    return found == trigger.metadata.end() ? std::string() : found->second;
}

// Reads the page twice: its content, and whether it changes.

namespace {

constexpr std::int64_t watch_ms = 2'500;  // in total
constexpr std::int64_t glance_ms = 500;
constexpr std::int64_t spare_ms = 2'000;  // left for the following steps

// Returns the selector of a trigger on pages: the metric in one key, the matchers in another.
std::optional<selection> selection_of(const examined_trigger& examined) {
    const std::vector<std::string>& names = examined.described.series_names;
    if (names.empty()) return std::nullopt;
    const std::string inside = examined.metadata("selector");
    const bool braced = !inside.empty() && trim(inside).front() == '{';
    return read_selector(names.front() + (inside.empty() || braced ? inside : "{" + inside + "}"));
}

std::optional<source::reading> read_page(const http::answer& answer) {
    if (!answer.arrived() || answer.response.status != 200) return std::nullopt;
    const auto as = formats::exposition::format_of(answer.response.header("Content-Type").value_or(""));
    if (!as) return std::nullopt;
    auto out = formats::exposition::read_all(answer.response.body, *as);
    if (!out) return std::nullopt;
    return *std::move(out);
}

constexpr std::string_view draw = "DCGM_FI_DEV_POWER_USAGE";
constexpr std::string_view energy = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION";

// Returns the lines with values that change at each collection, in a fixed order.
std::vector<std::string_view> pulse_of(std::string_view page) {
    std::vector<std::string_view> out;
    for (const std::string_view line : split(page, '\n')) {
        if (line.starts_with(draw) || line.starts_with(energy)) out.push_back(trim(line));
    }
    sort_stably(out);
    return out;
}

// Tells whether a line is a GPU's running energy counter; a virtual GPU's stays at 0.
bool counts_energy(std::string_view line) {
    return line.starts_with(energy) && line.substr(line.rfind(' ') + 1) != "0";
}

tempo watch(const asker& asker, const http::request& request, const http::answer& first) {
    tempo out;
    if (pulse_of(first.response.body).empty()) return out;  // no value on it changes by itself
    while (out.pace != pace::quick && out.watched_ms < watch_ms) {
        asker.pause(glance_ms);
        out.watched_ms += glance_ms;
        const http::answer again = asker.send(request);
        if (!again.arrived()) return {};
        out.pace = pace_between(first.response.body, again.response.body);
    }
    return out;
}

bool is_named(const source::labels& found, const std::vector<std::string>& names) {
    return std::ranges::find(names, label_value(found, "__name__")) != names.end();
}

// Returns the labels with those of the matchers under the matchers' own names.
source::labels renamed_labels(source::labels labels, const std::vector<matcher>& matchers) {
    for (const matcher& wanted : matchers) {
        if (!label_value(labels, wanted.label).empty()) continue;
        for (const std::string& other : source::names_of_label(wanted.label)) {
            const std::string value(label_value(labels, other));
            if (value.empty()) continue;
            labels.emplace_back(wanted.label, value);
            break;
        }
    }
    return labels;
}

}  // namespace

selection look_over(selection selection, const std::vector<std::string>& names, const source::reading& page) {
    std::set<std::string> alike;
    match_budget budget;
    for (const source::series& series : page.series) {
        const std::string name(label_value(series.labels, "__name__"));
        if (!is_named(series.labels, names)) {
            if (name.compare(0, 5, selection.metric, 0, 5) == 0) alike.insert(name);
            continue;
        }
        source::labels labels = renamed_labels(series.labels, selection.matchers);
        const bool taken = std::ranges::all_of(selection.matchers,
                                               [&](const matcher& wanted) { return wanted.takes(labels, budget); });
        (taken ? selection.found : selection.nearby).push_back(std::move(labels));
    }
    selection.looked = true;
    if (!selection.found.empty()) selection.nearby.clear();
    if (selection.found.empty() && selection.nearby.empty()) selection.metrics_alike.assign(alike.begin(), alike.end());
    return selection;
}

pace pace_between(std::string_view earlier, std::string_view later) {
    const std::vector<std::string_view> before = pulse_of(earlier);
    if (pulse_of(later) != before) return pace::quick;
    return std::ranges::any_of(before, counts_energy) ? pace::slow : pace::unclear;
}

namespace {

background behind_page(const examined_trigger& examined, const source::metric_source& source) {
    background out;
    auto selection = selection_of(examined);
    if (!selection) return out;
    const std::vector<result<http::request>> requests = source.requests(examined.now_ms);
    if (requests.empty() || !requests.front()) return out;
    const http::answer first = examined.by.send(*requests.front());
    const auto page = read_page(first);
    if (!page) return out;
    out.metric = selection->metric;
    out.selections.push_back(look_over(*std::move(selection), examined.described.series_names, *page));
    if (examined.by.left_ms() >= watch_ms + spare_ms) out.tempo = watch(examined.by, *requests.front(), first);
    return out;
}

}  // namespace

background look_behind(const examined_trigger& examined, const source::metric_source& source) {
    switch (examined.described.traits->inquiry) {
        case source::inquiry::query:
            return behind_query(examined, examined.described.asks);
        case source::inquiry::page:
            return behind_page(examined, source);
        case source::inquiry::opaque:
            break;
    }
    return {};
}

}  // namespace gputide::doctor
