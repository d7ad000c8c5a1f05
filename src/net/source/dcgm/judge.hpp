// An exporter's answer → picks, and picks → one sample.  Pure.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"
#include "source/dcgm/picks.hpp"
#include "source/dcgm/settings.hpp"
#include "source/source.hpp"

#include <cstddef>
#include <string>

namespace gputide::source::dcgm {

struct page_picks {
    dcgm::picks picks;
    std::string hint;  // why there is nothing, where there is nothing
};

// One answer.  Errors: transport, HTTP status, a body that is no exposition, and an empty one: an exporter that starts or
// reloads answers 200 with nothing, which is no load of zero.
result<page_picks> read_page(const http::answer& answer, const settings& settings, std::size_t page);

// The selected series of an answer with their labels, whatever their values.
result<reading> read_series(const http::answer& answer, const settings& settings);

// The same picks from series as read_series() gives them.
result<picks> picks_of(const reading& reading, const settings& settings);

// `hint` explains empty picks.
fetched judge_picks(const picks& picks, const settings& settings, const std::string& hint);

}  // namespace gputide::source::dcgm
