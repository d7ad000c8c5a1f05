// Arbitrary bytes as a manifest, in YAML and JSON, with a host that allows everything: nothing may crash, hang or grow, and
// a text that loads must load to the same specs twice.  Built for libFuzzer.
#include "auth/open.hpp"
#include "config/load.hpp"
#include "config/report.hpp"
#include "source/description.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace config = gputide::config;

namespace {

config::surroundings open_host() {
    config::surroundings out;
    out.kinds = {gputide::source::trigger_kinds(), gputide::auth::identity_kinds()};
    out.environment = [](const std::string& name) -> std::optional<std::string> {
        if (name.size() > 8) return std::nullopt;
        return name + ": [{\"'\n- ";
    };
    out.secret = [](const std::string&, const std::string& key) -> gputide::result<gputide::secret_text> {
        if (key.size() > 8) return gputide::fail(gputide::status::invalid, "no such key");
        return gputide::secret_text(key);
    };
    return out;
}

void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

// The name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const config::surroundings host = open_host();
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const config::loaded first = config::load({{"fuzz", text}}, host);
    require(first.specs.empty() == (first.report.count(config::severity::error) > 0));
    require(first.report.findings.size() <= 2 * config::report::max_findings);
    const std::string shown = config::render(first.report);

    const config::loaded second = config::load({{"fuzz", text}}, host);
    require(second.specs.size() == first.specs.size());
    require(config::render(second.report) == shown);
    return 0;
}
