#include "forecast/text.hpp"

#include "forecast/forecast.hpp"
#include "forecast/visit.hpp"

namespace gputide::forecast {

namespace {

constexpr text_format format{"gputide_forecast", "forecast", 1, max_text_bytes};

error refused(const std::string& why) {
    return fail(status::state, "saved forecast: {}; start without it, or pass the state saved for this forecast", why);
}

}  // namespace

std::string save(const memory& memory, const settings& settings) {
    text_output out(format);
    visit(out, memory, settings);
    return std::move(out).seal();
}

result<memory> load(std::string_view text, const settings& settings) {
    result<text_input> in = text_input::open(text, format);
    if (!in) return refused(in.failure().message);
    gputide::forecast::settings saved_settings = settings;
    memory out;
    visit(*in, out, saved_settings);
    if (!in->at_end()) return refused("the text is damaged");
    change(out, saved_settings, settings);
    return out;
}

}  // namespace gputide::forecast
