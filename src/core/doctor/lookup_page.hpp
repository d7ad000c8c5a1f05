// What lies behind a dcgm trigger: the exporter's page itself.
#pragma once

#include "doctor/lookup.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gputide::doctor {

background behind_page(const asker& asker, const patient& whose, const question& question);

// What a page holds for a selector: the series that it takes and, where there are none, all of its metric, or the page's
// names that begin alike.  `names` are those that the metric may have there; a label under one of its other names
// (exported_pod) counts as that label.  Pure.
selection look_over(selection selection, const std::vector<std::string>& names, const source::reading& page);

// The same page a moment apart: quick where it moved; slow where a counter of energy stood still, which no GPU's does; else
// unclear, as power may stand still for a while.  Pure.
pace pace_between(std::string_view earlier, std::string_view later);

}  // namespace gputide::doctor
