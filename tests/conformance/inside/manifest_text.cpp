#include "inside/manifest_text.hpp"

namespace conformance {
gputide::config::loaded load_manifest(const json& manifest) {
    const std::string text = manifest.dump();
    return gputide::config::load({{"case.json", text}}, {});
}

std::vector<std::string> error_messages(const gputide::config::report& from, std::string_view code) {
    std::vector<std::string> out;
    for (const gputide::config::finding& one : from.findings) {
        if (one.severity != gputide::config::severity::error) continue;
        if (code.empty() || one.code == code) out.push_back(one.message);
    }
    return out;
}

}  // namespace conformance
