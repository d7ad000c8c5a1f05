// Implements section 7 of gputide.h and the tables of gputide_table.h.  Compiled once per flavor of the library;
// GPUTIDE_HAS_CORE and GPUTIDE_HAS_FULL select the functions of the flavor. cmake/library.cmake writes flavor_*.inc from
// bindings/abi.json.
#include "base/error.hpp"
#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/never_destroyed.hpp"
#include "base/process.hpp"
#include "capi/entry.hpp"
#include "manifest/versions.hpp"
#ifndef GPUTIDE_PURE_ONLY
#include "gputide/gputide_table.h"
#endif
#ifdef GPUTIDE_HAS_CORE
#include "http/client.hpp"

#include <curl/curl.h>
#include <openssl/crypto.h>
#endif
#include <simdjson.h>

#include <string>

#ifdef GPUTIDE_YAML
#include <yaml.h>
#endif

#define GPUTIDE_STRING_OF(x) #x
#define GPUTIDE_STRING(x) GPUTIDE_STRING_OF(x)

namespace {

using gputide::manifest::original;

// Returns the default version and the known ones: "1.37 (known: 1.18 to 1.38)".
std::string versions_text(original which) {
    const std::int32_t newest = gputide::manifest::version_of({}, which);
    return gputide::format_text("{} (known: {})", gputide::manifest::version_text(which, newest),
                                gputide::manifest::known_versions_text(which));
}

// Tells whether libcurl and its TLS library are available and not replaced by a library of the host.
bool has_network() {
#ifdef GPUTIDE_HAS_CORE
    return !gputide::http::captured_library().has_value();
#else
    return false;
#endif
}

void describe_network([[maybe_unused]] gputide::json_writer& json) {
#ifdef GPUTIDE_HAS_CORE
    json.member("curl", std::string_view(curl_version_info(CURLVERSION_NOW)->version));
    json.member("tls", std::string_view(OpenSSL_version(OPENSSL_VERSION)));
#endif
}

std::string describe_build(bool network) {
    gputide::json_writer json;
    json.begin_object();
    json.member("version", std::string_view(gputide_version()));
    json.member("abi", GPUTIDE_ABI_VERSION);
#if defined(__clang__)
    json.member("compiler", std::string_view("clang " __clang_version__));
#else
    json.member("compiler", std::string_view("gcc " __VERSION__));
#endif
    if (network) describe_network(json);
    json.member("simdjson", std::string_view(GPUTIDE_STRING(SIMDJSON_VERSION)));
#ifdef GPUTIDE_YAML
    json.member("yaml", std::string_view(yaml_get_version_string()));
#endif
    json.member("hpa_version", versions_text(original::kubernetes));
    json.member("keda_version", versions_text(original::keda));
    json.end_object();
    return json.take();
}

#ifndef GPUTIDE_PURE_ONLY  // the sources of cmake/amalgamate.py are linked by name and have no tables
// Members of a table: functions of every flavor, and those that a smaller flavor lacks.  A different signature does not
// compile.
#define GPUTIDE_PURE(name) gputide_##name,
#ifdef GPUTIDE_HAS_CORE
#define GPUTIDE_CORE(name) gputide_##name,
#else
#define GPUTIDE_CORE(name) nullptr,
#endif
#ifdef GPUTIDE_HAS_FULL
#define GPUTIDE_FULL(name) gputide_##name,
#else
#define GPUTIDE_FULL(name) nullptr,
#endif

constexpr gputide_api_table api_table{
    sizeof(gputide_api_table),
    GPUTIDE_ABI_VERSION,
#include "flavor_gputide_api.inc"
};

// Returns the table, or NULL with the reason if this library does not support the ABI.
template <class Table>
const Table* serve(const Table& table, std::uint32_t abi_version, gputide_error* err) {
    if (abi_version == GPUTIDE_ABI_VERSION) return &table;
    gputide::capi::guarded(err, {}, [&]() -> gputide::result<void> {
        return gputide::fail(
            gputide::status::too_new,
            gputide::format_text(
                "ABI {} was requested; this library ({}) supports only ABI {}; use the headers of this library",
                abi_version, gputide_version(), GPUTIDE_ABI_VERSION));
    });
    return nullptr;
}
#endif

}  // namespace

const char* gputide_version(void) {
    return GPUTIDE_STRING(GPUTIDE_VERSION_MAJOR) "." GPUTIDE_STRING(GPUTIDE_VERSION_MINOR) "." GPUTIDE_STRING(
        GPUTIDE_VERSION_PATCH);
}

int32_t gputide_abi_version(void) { return GPUTIDE_ABI_VERSION; }

uint32_t gputide_features(void) {
    uint32_t out = GPUTIDE_FEATURE_PURE;
#ifdef GPUTIDE_YAML
    out |= GPUTIDE_FEATURE_YAML;
#endif
#ifdef GPUTIDE_HAS_PLAN
    out |= GPUTIDE_FEATURE_PLAN;
#endif
#ifdef GPUTIDE_HAS_CORE
    out |= GPUTIDE_FEATURE_CORE;
    if (gputide::http::has_http2()) out |= GPUTIDE_FEATURE_HTTP2;
#ifdef GPUTIDE_CRON
    out |= GPUTIDE_FEATURE_CRON;
#endif
#endif
#ifdef GPUTIDE_HAS_FULL
    out |= GPUTIDE_FEATURE_KUBERNETES;
#endif
    return out;
}

const char* gputide_build_info(void) {
    try {
        const bool network = has_network();
        const gputide::no_fork hold;
        static const gputide::never_destroyed<std::string> text{describe_build(network)};
        return text->c_str();
    } catch (...) {
        return "{}";
    }
}

#ifndef GPUTIDE_PURE_ONLY
const gputide_api_table* gputide_api(uint32_t abi_version, gputide_error* err) {
    return serve(api_table, abi_version, err);
}

#ifdef GPUTIDE_HAS_PLAN
const gputide_plan_api_table* gputide_plan_api(uint32_t abi_version, gputide_error* err) {
    static constexpr gputide_plan_api_table table{
        sizeof table,
        GPUTIDE_ABI_VERSION,
#include "flavor_gputide_plan_api.inc"
    };
    return serve(table, abi_version, err);
}
#endif

#ifdef GPUTIDE_HAS_FULL
const gputide_kubernetes_api_table* gputide_kubernetes_api(uint32_t abi_version, gputide_error* err) {
    static constexpr gputide_kubernetes_api_table table{
        sizeof table,
        GPUTIDE_ABI_VERSION,
#include "flavor_gputide_kubernetes_api.inc"
    };
    return serve(table, abi_version, err);
}
#endif
#endif
