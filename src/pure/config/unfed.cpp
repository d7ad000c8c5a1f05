#include "config/unfed.hpp"

#include "base/text.hpp"
#include "config/own/settings.hpp"

namespace gputide::config {
namespace {

bool is_read_from_pods(metric_kind kind) {
    return kind == metric_kind::pods || kind == metric_kind::resource || kind == metric_kind::container_resource;
}

}  // namespace

std::string unfed_text(metric_kind kind, const std::string& name) {
    return "nothing says where the " + std::string(metric_kind_word(kind)) + " metric " + in_quotes(name) +
           " is read: the host program must bring " +
           (is_read_from_pods(kind) ? "its pods' values with each observation" : "its value") +
           ", and while it does not, nothing scales down";
}

std::string unfed_remedy(metric_kind kind, const std::string& name) {
    const std::string from = "gputide.io/metrics-from: kubernetes, or host where this program brings it";
    if (is_read_from_pods(kind)) return "add the annotation " + from;
    return "add the annotation " + std::string(source_prefix) + name + " with a trigger, or " + from;
}

}  // namespace gputide::config
