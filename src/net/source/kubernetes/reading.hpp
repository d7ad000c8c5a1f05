// From a kubernetes trigger's settings to what is asked, and from the answer to series and one sample.  Pure.
//   no item                         no_data, as the HPA: an empty list is an error and never 0
//   one item                        its value
//   several                         external: their sum; pods: their sum, or their mean for a Value target
//   INT64_MIN thousandths           NaN, as an adapter's careless conversion makes of it: no_data, since a sum without it would
//                                   be too small; a reducer that the manifest names goes without it
#pragma once

#include "kube/endpoint.hpp"
#include "source/kubernetes/settings.hpp"
#include "source/source.hpp"

#include <string>

namespace gputide::source::kubernetes {

kube::endpoint endpoint_of(const settings& settings, const std::string& custom_version);

// Series: labels kind and name of what an item describes, or an external item's own.
result<reading> read_answer(const http::answer& answer, const settings& settings, const kube::endpoint& endpoint);

fetched judge(const reading& reading, const settings& settings);

}  // namespace gputide::source::kubernetes
