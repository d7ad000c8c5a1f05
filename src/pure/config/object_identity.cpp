#include "config/object_identity.hpp"

#include "base/format_text.hpp"

#include <array>
#include <cstddef>

namespace gputide::config {

std::string_view kind_text(document_kind kind) {
    static constexpr std::array<std::string_view, 7> names{"ScaledObject",
                                                           "HorizontalPodAutoscaler",
                                                           "TriggerAuthentication",
                                                           "ClusterTriggerAuthentication",
                                                           "Secret",
                                                           "ConfigMap",
                                                           "ScaledJob"};
    return names[static_cast<std::size_t>(kind)];
}

std::string object_identity::text() const {
    return format_text("{} {}{}{}", kind_text(kind), name_space, name_space.empty() ? "" : "/", name);
}

}  // namespace gputide::config
