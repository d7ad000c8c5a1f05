#include "base/error.hpp"

#include "base/json_writer.hpp"

namespace gputide {

std::string detail_json(const error& from) {
    if (from.error_class.empty() && from.fields.empty()) return {};
    json_writer out;
    out.begin_object();
    if (!from.error_class.empty()) out.member("class", from.error_class);
    for (const auto& [name, value] : from.fields) out.member(name, value);
    out.end_object();
    return out.take();
}

}  // namespace gputide
