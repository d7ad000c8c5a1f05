#include "inside/vpa_json.hpp"

#include <stdexcept>

namespace conformance {

using namespace gputide::rightsize;

std::optional<layout> layout_of(const json& options) {
    if (options == "memory") return memory_layout;
    if (options == "cpu") return cpu_layout;
    if (options == "gpu_util") return utilisation_layout;
    const auto number = [&](const char* name) { return options.at(name).get<double>(); };
    const std::string type = options.at("type").get<std::string>();
    if (type != "linear" && type != "exponential") throw std::invalid_argument("no such layout: " + type);
    gputide::result<layout> made =
        type == "linear" ? linear_layout(number("max"), number("bucket"), number("eps"))
                         : exponential_layout(number("max"), number("first"), number("ratio"), number("eps"));
    if (!made) return std::nullopt;
    return *made;
}

differences vpa_compared(const json& one, const json& got) {
    differences out;
    expect_equal(out, "answer", one.at("expect"), got, {.tolerance = one.value("tol", 1e-9), .subset = true});
    return out;
}

}  // namespace conformance
