// Manifests, texts, formulas, and saved states and series.
#include "auth/open.hpp"
#include "base/checksum.hpp"
#include "base/quantity.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "decide/decide.hpp"
#include "decide/formula/formula.hpp"
#include "decide/state/text.hpp"
#include "doctor/judge.hpp"
#include "fuzz.hpp"
#include "http/exchange.hpp"
#include "http/message.hpp"
#include "manifest/load.hpp"
#include "pipeline/pipeline.hpp"
#include "replay/recording.hpp"
#include "replay/run.hpp"
#include "source/cron/cron.hpp"
#include "source/description.hpp"
#include "source/gpu/gpus.hpp"
#include "text/report.hpp"
#include "wire/errors.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

// Arbitrary bytes as a manifest, in YAML and JSON, with a host that allows everything: nothing may crash, hang or grow, and
// a text that loads must load to the same specs twice.
namespace fuzz_manifest {

using namespace gputide::fuzz;

namespace manifest = gputide::manifest;
namespace text = gputide::text;

namespace {

manifest::surroundings open_host() {
    manifest::surroundings out;
    out.kinds = {gputide::source::trigger_kinds(), gputide::auth::identity_kinds()};
    out.environment = [](const std::string& name) -> std::optional<std::string> {
        if (name.size() > 8) return std::nullopt;
        return name + ": [{\"'\n- ";
    };
    out.secret = [](const manifest::object_identity&, const std::string& key) -> gputide::result<gputide::secret_text> {
        if (key.size() > 8) return gputide::fail(gputide::status::invalid, "no such key");
        return gputide::secret_text(key);
    };
    return out;
}

}  // namespace

int run(const std::uint8_t* bytes, std::size_t size) {
    static const manifest::surroundings host = open_host();
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const manifest::loaded first = manifest::load({{"fuzz", text}}, host);
    require(first.specs.empty() == (first.report.count(text::severity::error) > 0));
    require(first.report.findings.size() <= 2 * text::report::max_findings);
    const std::string shown = text::render(first.report);

    const manifest::loaded second = manifest::load({{"fuzz", text}}, host);
    require(second.specs.size() == first.specs.size());
    require(text::render(second.report) == shown);
    return 0;
}

const registration target{"manifest", &run};

}  // namespace fuzz_manifest

// Arbitrary bytes as the small texts that peers and manifests bring: URLs, dates, Retry-After, PromQL, selectors, quantities, lines of
// a crontab, GPUs, what a person is shown.  Nothing may crash or hang; secrets stay hidden; a terminal reads no control character.
namespace fuzz_text {

using namespace gputide::fuzz;

namespace http = gputide::http;

namespace {

constexpr std::int64_t wall_ms = 1'795'255'200'000;
constexpr char password[] = "correct-horse";

void read_url(const std::string& text) {
    const auto url = http::parse_url(text);
    if (!url) return;
    require(url->port > 0 && url->port < 65'536 && !url->host.empty());
    require(url->path.empty() || url->path.front() == '/');
    require(!http::host_and_port(url->host, url->port).empty());
    (void)http::is_loopback(url->host);
}

void read_delay(const std::string& text) {
    for (const char* name : {"Retry-After", "retry-after-ms", "x-ms-retry-after-ms"}) {
        http::response response;
        response.status = 429;
        response.headers = {{name, text}, {"Date", "Sat, 21 Nov 2026 10:00:00 GMT"}};
        if (const auto delay = http::wished_delay_ms(response, wall_ms)) require(*delay > 0);
        gputide::error failure(gputide::status::throttled);
        http::note_retry_after(failure, response);
        require(failure.retry_after_ms >= 0);
    }
}

void show(const std::string& text) {
    const std::string line = gputide::plain_line(text);
    require(gputide::valid_utf8(line));
    for (const char character : line) require(static_cast<unsigned char>(character) >= 0x20 && character != 0x7f);
    require(gputide::plain_line(line) == line);
    require(gputide::redact(text + " " + password + " " + text, {password}).find(password) == std::string::npos);
    const std::string url = gputide::redact_url("https://u:" + std::string(password) + "@h/" + text);
    require(text.find(password) != std::string::npos || url.find(password) == std::string::npos);
    (void)http::excerpt(text);
}

void read_schedule(const std::string& text) {
    namespace cron = gputide::source::cron;
    static const auto zone = cron::zone::load("Europe/Berlin");
    require(zone.ok());
    constexpr std::int64_t now_s = wall_ms / 1'000;
    const auto schedule = cron::parse_schedule(text);
    require_reason(schedule);
    if (!schedule) return;
    if (const auto at_s = cron::next_after(*schedule, now_s, *zone)) require(*at_s > now_s && *at_s % 60 == 0);
}

void read_quantity(const std::string& text) {
    const auto quantity = gputide::parse_quantity(text);
    require_reason(quantity);
    if (!quantity || quantity->milli_overflow) return;
    const auto again = gputide::parse_quantity(std::to_string(quantity->milli) + "m");
    require(again.ok() && again->milli == quantity->milli);
}

}  // namespace

int run(const std::uint8_t* bytes, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(bytes), size);
    read_url(text);
    read_url("https://" + text);
    read_delay(text);
    (void)gputide::parse_http_date(text);
    (void)gputide::parse_rfc3339(text);
    (void)gputide::parse_go_duration_ms(text);
    if (const auto selector = gputide::doctor::read_selector(text)) (void)selector->text();
    read_schedule(text);
    read_quantity(text);
    (void)gputide::source::nvml::parse_wanted(text);
    require_reason(gputide::pipeline::render_report(text));
    show(text);
    return 0;
}

const registration target{"text", &run};

}  // namespace fuzz_text

// Any bytes as a formula: refused with a message, or compiled and evaluated within its bounds, the same way twice.
// The first byte chooses the profile, the next sixteen the triggers' values (NaN and infinities among them).
namespace fuzz_formula {

using namespace gputide::fuzz;

namespace {

using namespace gputide::decide;

bool same(const formula_result& x, const formula_result& y) {
    const bool values = std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
    return x.failure.error == y.failure.error && x.failure.column == y.failure.column && x.nil == y.nil && values;
}

void evaluate(const formula& made, double a, double b) {
    const formula_variable values[] = {{a, false}, {b, false}};
    require(same(made.evaluate(values), made.evaluate(values)));
    const formula_variable absent[] = {{0, true}, {0, true}};
    const formula_result got = made.evaluate(absent);
    require(got.failure.error == formula_error::none || !formula_failure_text(got.failure).empty());
}

}  // namespace

int run(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t head = 1 + 2 * sizeof(double);
    if (size < head) return 0;
    double numbers[2];
    std::memcpy(numbers, data + 1, sizeof numbers);
    const std::string_view text(reinterpret_cast<const char*>(data) + head, size - head);
    constexpr std::string_view names[] = {"a", "b"};
    const auto mode = (data[0] & 1) != 0 ? formula_mode::strict : formula_mode::standard;
    const auto made = formula::compile(text, names, mode);
    require(made.ok() || !made.failure().message.empty());
    if (made) evaluate(*made, numbers[0], numbers[1]);
    return 0;
}

const registration target{"formula", &run};

}  // namespace fuzz_formula

// Arbitrary bytes as a state in both of its forms, the saved one (as they are and under a checksum of their own) and the JSON that
// people write: what is read can be decided with, and is written and read again as the same.
namespace fuzz_state {

using namespace gputide::fuzz;

namespace decide = gputide::decide;

namespace {

decide::policy two_metrics(bool forecasts) {
    decide::policy out;
    out.scaling.name = "demo";
    out.scaling.name_space = "default";
    out.metrics.resize(2);
    out.metrics[0].name = "s0-prometheus";
    out.metrics[1].name = "s1-values";
    for (decide::metric_policy& metric : out.metrics) metric.target_milli = 5000;
    if (forecasts) out.forecast = std::make_shared<decide::forecast_rule>();
    return out;
}

void go_on(const decide::policy& policy, decide::state state) {
    gputide::sample samples[2];
    for (gputide::sample& sample : samples) sample.state = gputide::sample_state::ok;
    samples[0].value = 42.5;
    std::int64_t now_ms = 1'795'255'200'000;
    for (std::int32_t replicas = 1; replicas < 40; replicas += 13) {
        decide::observation seen;
        seen.now_ms = now_ms += 15'000;
        seen.spec_replicas = replicas;
        seen.samples = samples;
        decide::decision next = decide::decide(policy, state, seen);
        require(next.desired_replicas >= 0);
        if (decide::check_record(state, next)) decide::record_applied(policy, state, next, now_ms);
    }
    require(decide::load_state(policy, decide::save_state(policy, state)).ok());
}

void read(const decide::policy& policy, std::string_view text) {
    auto state = decide::load_state(policy, text);
    require_reason(state);
    if (!state) return;
    const std::string written = decide::save_state(policy, *state);
    const auto again = decide::load_state(policy, written);
    require(again.ok());
    require(decide::save_state(policy, *again) == written);
    go_on(policy, *std::move(state));
}

void read_written(const decide::policy& policy, std::string_view json) {
    auto state = decide::read_state(policy, json);
    require_reason(state);
    if (!state) return;
    const std::string written = decide::describe_state(policy, *state);
    const auto again = decide::read_state(policy, written);
    require(again.ok());
    require(decide::describe_state(policy, *again) == written);
    go_on(policy, *std::move(state));
}

}  // namespace

int run(const std::uint8_t* bytes, std::size_t size) {
    static const decide::policy policies[] = {two_metrics(false), two_metrics(true)};
    const std::string text(reinterpret_cast<const char*>(bytes), size);
    // Few inputs have the checksum that they need: the text up to its own is given a right one, too.
    const std::string body = text.substr(0, text.rfind(",\"crc32c\":"));
    const decide::policy& policy = policies[size % std::size(policies)];
    read(policy, text);
    read(policy, gputide::sealed(body));
    read_written(policy, text);
    return 0;
}

const registration target{"state", &run};

}  // namespace fuzz_state

// Arbitrary bytes as a CSV and as a run log: nothing may crash, hang or grow, and what was read reads back the same.
namespace fuzz_series {

using namespace gputide::fuzz;

namespace replay = gputide::replay;

namespace {

bool is_tidy(replay::recording& of) {
    if (!replay::tidy(of)) return false;
    for (const replay::metric_track& track : of.metrics)
        for (std::size_t i = 1; i < track.points.size(); ++i)
            require(track.points[i - 1].time_ms < track.points[i].time_ms);
    return true;
}

}  // namespace

int run(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    replay::recording csv;
    if (replay::read_csv(text, csv) && is_tidy(csv)) {
        const std::string written = replay::write_csv(csv);
        replay::recording again;
        require(replay::read_csv(written, again).ok());
        require(is_tidy(again));
        require(replay::write_csv(again) == written);
    }
    replay::recording log;
    if (replay::read_log(text, "", log)) is_tidy(log);
    return 0;
}

const registration target{"series", &run};

}  // namespace fuzz_series

// Arbitrary bytes as the settings of a replay, and of one size in eight a short replay by those that are accepted, which takes a
// thousand times as long.
namespace fuzz_replay_settings {

using namespace gputide::fuzz;

namespace replay = gputide::replay;

namespace {

void run_short_replay(replay::settings settings) {
    gputide::decide::policy policy;
    policy.metrics.resize(1);
    policy.metrics[0].name = "s0-prometheus";
    policy.metrics[0].target_milli = 5000;
    settings.recorded_replicas = settings.recorded_replicas < 0 ? 2 : settings.recorded_replicas;
    auto replayer = replay::replayer::make(policy, settings, {replay::source_rules{}});
    if (!replayer) return;
    replay::recording recording;
    for (int i = 0; i < 50; ++i) (void)replay::add_point(recording, 0, 1'000'000 + i * 15'000, i % 7 * 20.0);
    (void)replay::tidy(recording);
    if (replay::run(*replayer, recording)) (void)replay::report_json(*replayer);
}

}  // namespace

int run(const std::uint8_t* bytes, std::size_t size) {
    auto settings = replay::read_settings({reinterpret_cast<const char*>(bytes), size});
    require_reason(settings);
    if (!settings) return 0;
    if (one_of({true, false, false, false, false, false, false, false}, size)) run_short_replay(*std::move(settings));
    return 0;
}

const registration target{"replay_settings", &run};

}  // namespace fuzz_replay_settings
