// The conditions and events of a ScaledJob, with KEDA's texts.
#pragma once

#include <string>
#include <string_view>

namespace gputide::jobs {

struct event {
    bool is_warning = false;
    std::string_view reason;
    std::string message;
};

struct verdict {
    std::string_view status;  // True, False, Unknown
    std::string_view reason;
    std::string message;
};

}  // namespace gputide::jobs
