#include "common/text.hpp"

#include <nlohmann/json.hpp>

namespace gputided {

// The JSON writer refuses what is not; it is asked rather than copied.
bool is_utf8(const std::string& text) {
    try {
        static_cast<void>(nlohmann::json(text).dump());
        return true;
    } catch (const nlohmann::json::type_error&) {
        return false;
    }
}

}  // namespace gputided
