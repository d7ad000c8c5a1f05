// One answer over a real connection: bytes as they are on the wire in, what the library's own transport makes of them out.
// For cases about content codings, which the transport undoes before a parser sees them.
#pragma once

#include "http/message.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace conformance {

// Serves the answer once on a loopback port and fetches it.  Throws where that cannot be set up.
gputide::http::answer over_the_wire(std::int32_t status, const std::vector<gputide::http::response_header>& headers,
                                    std::string_view body);

}  // namespace conformance
