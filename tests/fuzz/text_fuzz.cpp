// Arbitrary bytes as the small texts that peers and manifests bring: URLs, dates, Retry-After, PromQL, selectors, quantities, lines of
// a crontab, GPUs, what a person is shown.  Nothing may crash or hang; secrets stay hidden; a terminal reads no control character.
#include "base/plain_text.hpp"
#include "base/quantity.hpp"
#include "base/redact.hpp"
#include "base/time.hpp"
#include "doctor/selection.hpp"
#include "http/message.hpp"
#include "http/retry.hpp"
#include "pipeline/render.hpp"
#include "require.hpp"
#include "source/cron/schedule.hpp"
#include "source/gpu/gpus.hpp"
#include "wire/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace http = gputide::http;
using gputide::fuzz::require;
using gputide::fuzz::require_reason;

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
    for (const char one : line) require(static_cast<unsigned char>(one) >= 0x20 && one != 0x7f);
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

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
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
