// An API's answer → a reading → one sample.  Pure.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"
#include "source/metrics_api/settings.hpp"
#include "source/source.hpp"

namespace gputide::source::metrics_api {

// One series: the number at the trigger's place; of a metrics page all series that fit.  Errors: transport, a status other
// than 200, an answer of another format, nothing at that place, or no number there.
result<reading> read_answer(const http::answer& answer, const settings& settings);

// Of several series of a page the first one counts, as in KEDA, unless a reducer is named.
fetched judge(const reading& reading, const settings& settings);

}  // namespace gputide::source::metrics_api
