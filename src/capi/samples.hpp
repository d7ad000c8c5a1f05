// An answer as it came, for gputide_samples.
#pragma once

#include "capi/handles.hpp"
#include "source/source.hpp"

#include <string>

namespace gputide::capi {

// A new handle around the answer.
gputide_samples* make_samples(source::reading reading);

// The newest point of one series, or why it has none.
sample newest_of(const source::series& series);

std::string reading_json(const source::reading& reading);

}  // namespace gputide::capi
