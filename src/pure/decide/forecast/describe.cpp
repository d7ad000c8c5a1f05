#include "decide/forecast/describe.hpp"

#include "decide/state/state.hpp"
#include "forecast/describe.hpp"

namespace gputide::decide {

void write_forecast(json_writer& out, const load_forecast& one) {
    forecast::write_report(out, forecast::report_of(one.memory, one.settings), one.settings);
    write_history(out, one.history);
    if (one.need >= 0) out.member("need", one.need);
    if (one.shadow_replicas >= 0) out.member("shadow_replicas", one.shadow_replicas);
}

}  // namespace gputide::decide
