// Detects libraries that the host replaced.  Declared in client.hpp.
#include "base/never_destroyed.hpp"
#include "base/process.hpp"
#include "http/client.hpp"

#include <curl/curl.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>

#include <dlfcn.h>
#include <string>
#include <string_view>

namespace gputide::http {

namespace {

// One function of each library that libcurl or we call: the library's other functions resolve to the same file.
struct borrowed_call {
    const char* symbol;
    std::string_view library;  // prefix of the expected file name
    void* address;             // nullptr: undefined
};

template <class Function>
void* address_of(Function* call) {
    return reinterpret_cast<void*>(call);
}

// Returns the file that contains an address; an empty name if there is none.
Dl_info file_of(void* address) {
    Dl_info file{};
    if (address == nullptr || ::dladdr(address, &file) == 0 || file.dli_fname == nullptr) file.dli_fname = "";
    return file;
}

bool is_library(std::string_view path, std::string_view library) {
    return path.substr(path.rfind('/') + 1).starts_with(library);
}

std::optional<error> look() {
    if (has_own_libraries()) return {};

    // The dynamic linker resolved our references like libcurl's, in the same scope: the process's global scope first, or our own
    // first under RTLD_DEEPBIND.  A definition without a version satisfies a reference with a version.  We do not call nghttp2
    // ourselves; dlsym() searches the scope of the calling library.
    const borrowed_call calls[] = {
        {"curl_global_init", "libcurl", address_of(&curl_global_init)},
        {"SSL_CTX_new", "libssl.so", address_of(&SSL_CTX_new)},
        {"EVP_DigestInit_ex", "libcrypto.so", address_of(&EVP_DigestInit_ex)},
        {"nghttp2_session_client_new", "libnghttp2.so", ::dlsym(RTLD_DEFAULT, "nghttp2_session_client_new")},
    };
    for (const borrowed_call& call : calls) {
        const std::string file = file_of(call.address).dli_fname;
        if (file.empty() || is_library(file, call.library)) continue;
        return fail(
            error_class::security,
            "{} is provided by {} instead of {}: nothing is sent, because its TLS or HTTP may be of another version; "
            "load libgputide.so.1 with RTLD_DEEPBIND, or use the self-contained flavor (-DGPUTIDE_SELF_CONTAINED=ON)",
            call.symbol, file, call.library);
    }
    return {};
}

}  // namespace

// In this build libcurl and its callers are in one file, bound at link time.
bool has_own_libraries() {
    return file_of(address_of(&curl_global_init)).dli_fbase == file_of(address_of(&captured_library)).dli_fbase;
}

const std::optional<error>& captured_library() {
    const no_fork hold;
    static const never_destroyed<std::optional<error>> captured{look()};
    return *captured;
}

bool has_http2() noexcept {
    try {
        return !captured_library() && (curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_HTTP2) != 0;
    } catch (...) {
        return false;
    }
}

}  // namespace gputide::http
