#include "kubernetes/api/version_found.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <array>

namespace gputide::kubernetes {
namespace {

using config::original;

version_origin origin_for(original which, const settings& settings, const found_versions& found) {
    if (settings.version_of(which)) return version_origin::settings;
    return found.of(which).minor ? found.of(which).origin : version_origin::newest;
}

const char* by_origin(version_origin origin) {
    switch (origin) {
        case version_origin::image:
            return ", by the image of its operator";
        case version_origin::definitions:
            return ", by the fields of its CustomResourceDefinitions";
        default:
            return "";
    }
}

}  // namespace

const char* version_origin_name(version_origin origin) noexcept {
    static constexpr std::array<const char*, 5> names{"default", "settings", "server", "image", "definitions"};
    return names[static_cast<std::size_t>(origin)];
}

config::original_versions found_versions::versions() const {
    config::original_versions out;
    for (const original which : {original::kubernetes, original::keda}) {
        std::int32_t& minor = out.*config::version_member(which);
        minor = of(which).minor.value_or(minor);
    }
    return out;
}

found_version version_of_release(original which, version_origin origin, const std::string& release) {
    found_version out;
    const std::optional<config::nearest_version> nearest = config::nearest_known_version(which, release);
    if (!nearest) {
        out.message = format_text("{} names no release of {}", in_quotes(release), config::original_name(which));
        return out;
    }
    out.minor = nearest->minor;
    out.origin = origin;
    out.text = release;
    out.is_unknown = !nearest->is_known;
    if (out.is_unknown) {
        out.message =
            format_text("{} {} is not among the releases whose rules are known ({}); the nearest one is taken",
                        config::original_name(which), release, config::known_versions_text(which));
    }
    return out;
}

config::original_versions versions_for(const settings& settings, const found_versions& found) {
    config::original_versions out = found.versions();
    for (const original which : {original::kubernetes, original::keda}) {
        std::int32_t& minor = out.*config::version_member(which);
        minor = settings.version_of(which).value_or(minor);
    }
    return out;
}

std::string describe_version(original which, const settings& settings, const found_versions& found) {
    const found_version& one = found.of(which);
    const char* const name = config::original_name(which);
    const std::string rules = config::version_text(which, config::version_of(versions_for(settings, found), which));
    std::string out = one.minor ? format_text("{} {}{}", name, one.text, by_origin(one.origin))
                                : format_text("{}: its release was not found", name);
    out += format_text("; the rules of {} {} hold{}", name, rules,
                       settings.version_of(which) ? ", as the settings say" : "");
    return one.message.empty() ? out : out + " (" + one.message + ")";
}

void write_versions(json_writer& out, const settings& settings, const found_versions& found) {
    const config::original_versions rules = versions_for(settings, found);
    out.begin_object();
    for (const original which : {original::kubernetes, original::keda}) {
        out.key(which == original::kubernetes ? "hpa" : "keda").begin_object();
        out.member("rules", config::version_text(which, config::version_of(rules, which)));
        out.member("from", version_origin_name(origin_for(which, settings, found)));
        out.member("found", found.of(which).text).member("message", found.of(which).message).end_object();
    }
    out.end_object();
}

}  // namespace gputide::kubernetes
