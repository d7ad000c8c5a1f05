// A saved forecast: any text is taken whole or refused; what is taken writes the same text again and can go on from there.  The same
// bytes as the settings of one.
#include "base/checksum.hpp"
#include "forecast/floor.hpp"
#include "forecast/text.hpp"
#include "require.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
using gputide::fuzz::require;
using gputide::fuzz::require_reason;

namespace {

namespace forecast = gputide::forecast;

// Loads the text, and where that works goes on for two leads.
void try_text(std::string_view text, const forecast::settings& settings) {
    const gputide::result<forecast::memory> read = forecast::load(text, settings);
    if (!read) return;
    const std::string again = forecast::save(*read, settings);
    const gputide::result<forecast::memory> twice = forecast::load(again, settings);
    require(twice.ok());
    require(forecast::save(*twice, settings) == again);
    forecast::memory memory = *read;
    const std::int64_t start_ms = memory.open.number * settings.slot_ms;
    for (std::int64_t i = 0; i < 2 * forecast::slots_ahead(settings); ++i) {
        forecast::read(memory, settings, start_ms + i * settings.slot_ms, 50.0 + static_cast<double>(i));
        const forecast::floor_result floor =
            forecast::floor_of({memory.floor_load, forecast::state_of(memory, settings), 5.0, 10, 10, 40}, settings);
        require(floor.replicas >= 10 && floor.replicas <= 30);
        forecast::book(memory, floor.replicas, 10);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    require_reason(forecast::read_settings(text));
    const forecast::settings usual;
    forecast::settings other;
    other.slot_ms = 300'000;
    other.lead_ms = 900'000;
    const forecast::settings& settings = size % 2 == 0 ? usual : other;
    try_text(text, settings);
    try_text(gputide::sealed(text), settings);  // a fuzzer finds no checksum by itself
    return 0;
}
