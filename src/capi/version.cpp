// Section 1 of gputide.h: version, ABI number, features, build information.
#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/never_destroyed.hpp"
#include "base/process.hpp"
#include "config/versions.hpp"
#include "gputide/gputide.h"
#include "http/captured.hpp"

#include <curl/curl.h>
#include <openssl/crypto.h>
#include <simdjson.h>

#include <string>

#ifdef GPUTIDE_YAML
#include <yaml.h>
#endif

#define GPUTIDE_STRING_OF(x) #x
#define GPUTIDE_STRING(x) GPUTIDE_STRING_OF(x)

namespace {

using gputide::config::original;

// "1.37 (known: 1.18 to 1.38)": the version whose rules hold where none is named or found.
std::string versions_text(original which) {
    const std::int32_t newest = gputide::config::version_of({}, which);
    return gputide::format_text("{} (known: {})", gputide::config::version_text(which, newest),
                                gputide::config::known_versions_text(which));
}

std::string describe_build(bool captured) {
    gputide::json_writer json;
    json.begin_object();
    json.member("version", std::string_view(gputide_version()));
    json.member("abi", GPUTIDE_ABI_VERSION);
#if defined(__clang__)
    json.member("compiler", std::string_view("clang " __clang_version__));
#else
    json.member("compiler", std::string_view("gcc " __VERSION__));
#endif
    if (!captured) {
        json.member("curl", std::string_view(curl_version_info(CURLVERSION_NOW)->version));
        json.member("tls", std::string_view(OpenSSL_version(OPENSSL_VERSION)));
    }
    json.member("simdjson", std::string_view(GPUTIDE_STRING(SIMDJSON_VERSION)));
#ifdef GPUTIDE_YAML
    json.member("yaml", std::string_view(yaml_get_version_string()));
#endif
    json.member("hpa_version", versions_text(original::kubernetes));
    json.member("keda_version", versions_text(original::keda));
    json.end_object();
    return json.take();
}

}  // namespace

const char* gputide_version(void) {
    return GPUTIDE_STRING(GPUTIDE_VERSION_MAJOR) "." GPUTIDE_STRING(GPUTIDE_VERSION_MINOR) "." GPUTIDE_STRING(
        GPUTIDE_VERSION_PATCH);
}

int32_t gputide_version_number(void) {
    return GPUTIDE_VERSION_MAJOR * 1000000 + GPUTIDE_VERSION_MINOR * 1000 + GPUTIDE_VERSION_PATCH;
}

int32_t gputide_abi_version(void) { return GPUTIDE_ABI_VERSION; }

uint32_t gputide_features(void) {
    uint32_t out = 0;
#ifdef GPUTIDE_YAML
    out |= GPUTIDE_FEATURE_YAML;
#endif
    if (gputide::http::has_http2()) out |= GPUTIDE_FEATURE_HTTP2;
    return out;
}

const char* gputide_build_info(void) {
    try {
        const bool captured = gputide::http::captured_library().has_value();
        const gputide::no_fork hold;
        static const gputide::never_destroyed<std::string> text{describe_build(captured)};
        return text->c_str();
    } catch (...) {
        return "{}";
    }
}
