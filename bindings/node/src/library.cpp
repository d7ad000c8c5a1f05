#include "library.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <vector>

namespace gputide_node {
namespace {

constexpr const char* soname = "libgputide.so.1";
// A 0.x binding works with its own minor release and newer ones of the same ABI.
constexpr int oldest = GPUTIDE_VERSION_MAJOR * 1'000'000 + GPUTIDE_VERSION_MINOR * 1'000;
static_assert(GPUTIDE_ABI_VERSION == 1, "soname has the number too");
static_assert(sizeof(void*) == 8, "gputide runs on 64-bit Linux alone");

std::atomic<const gputide_api_table*> opened{nullptr};

// Never destroyed: threads may be here while the process ends.
std::mutex& opening() {
    static auto* const one = new std::mutex;
    return *one;
}
std::string& opened_path() {
    static auto* const one = new std::string;
    return *one;
}

template <class Function>
Function find(void* library, const char* name) {
    return reinterpret_cast<Function>(dlsym(library, name));  // NOLINT: what dlsym is for
}

// The file that an address comes from; "" where the system cannot say.
std::string file_of(const void* address) {
    Dl_info place{};
    return dladdr(address, &place) != 0 && place.dli_fname != nullptr ? place.dli_fname : "";
}

std::string absolute(const std::string& path) {
    char folder[PATH_MAX];
    if (path.empty() || path[0] == '/' || getcwd(folder, sizeof folder) == nullptr) return path;
    return std::string(folder) + "/" + path;
}

bool is_libc(const std::string& file) { return file.compare(file.rfind('/') + 1, 5, "libc.") == 0; }

// Whether the process' malloc is the C library's own.
bool malloc_is_libcs() {
    Dl_info place{};
    void* entry = nullptr;
    void* const used = dlsym(RTLD_DEFAULT, "malloc");
    if (dladdr1(used, &place, &entry, RTLD_DL_SYMENT) == 0) return false;
    const auto* const symbol = static_cast<const ElfW(Sym)*>(entry);
    if (symbol != nullptr && symbol->st_shndx != SHN_UNDEF) return is_libc(place.dli_fname);
    // A program that is no PIE, as Node is, has an address of its own for what it takes from elsewhere: from the first file behind
    // it, in the loader's order, that defines it.
    link_map* map = nullptr;
    void* const program = dlopen(nullptr, RTLD_LAZY);
    if (program == nullptr || dlinfo(program, RTLD_DI_LINKMAP, &map) != 0) return false;
    for (map = map->l_next; map != nullptr; map = map->l_next) {
        void* const library = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
        if (library == nullptr) continue;
        const std::string file = file_of(dlsym(library, "malloc"));
        dlclose(library);
        if (file == map->l_name) return is_libc(file);
    }
    return false;
}

// RTLD_DEEPBIND where the host has an OpenSSL of its own in the global scope, as official Node has: the library's libcurl would
// bind to that one.  Not where malloc is replaced or AddressSanitizer runs, which deep binding would part in two; musl has none.
int deep_binding() {
#ifdef RTLD_DEEPBIND
    if (dlsym(RTLD_DEFAULT, "SSL_CTX_new") == nullptr || dlsym(RTLD_DEFAULT, "__asan_init") != nullptr) return 0;
    return malloc_is_libcs() ? RTLD_DEEPBIND : 0;
#else
    return 0;
#endif
}

std::string spelled(int release) {
    return std::to_string(release / 1'000'000) + "." + std::to_string(release / 1'000 % 1'000) + "." +
           std::to_string(release % 1'000);
}

// "" and the table, or what is wrong with an open library.
std::string check(void* library, const gputide_api_table*& out) {
    const auto abi_version = find<int32_t (*)()>(library, "gputide_abi_version");
    const auto version_number = find<int32_t (*)()>(library, "gputide_version_number");
    if (abi_version == nullptr || version_number == nullptr) return "not a libgputide: it has no gputide_abi_version";
    if (const int abi = abi_version(); abi != GPUTIDE_ABI_VERSION) {
        return "ABI " + std::to_string(abi) + (abi > GPUTIDE_ABI_VERSION ? ": a newer" : ": an older") +
               " release; install the gputide package that belongs to it";
    }
    const int release = version_number();
    if (release < oldest) {
        return "release " + spelled(release) +
               ": too old; install a newer libgputide, or the gputide package that belongs to it";
    }
    const auto api = find<decltype(&gputide_api)>(library, "gputide_api");
    const gputide_api_table* const found = api == nullptr ? nullptr : api(GPUTIDE_ABI_VERSION, nullptr);
    if (found == nullptr || found->struct_size < sizeof(gputide_api_table)) {
        return "release " + spelled(release) + " is incomplete: gputide_api gives no table for this package";
    }
    out = found;
    return "";
}

struct place {
    std::string label, file;
};

// A path from code or environment is final; the bundled file gives way to the system's only where it is absent.
std::vector<place> places(const std::string& path, const std::string& bundled) {
    if (!path.empty()) return {{path, absolute(path)}};
    const char* const named = std::getenv("GPUTIDE_LIBRARY");
    if (named != nullptr && *named != '\0') return {{std::string("GPUTIDE_LIBRARY=") + named, absolute(named)}};
    return {{bundled, bundled}, {std::string(soname) + " (the system's search)", soname}};
}

}  // namespace

const gputide_api_table* table() noexcept { return opened.load(std::memory_order_acquire); }

std::string library_path() {
    const std::lock_guard lock(opening());
    return opened_path();
}

std::string open_library(const std::string& path, const std::string& bundled) {
    const std::lock_guard lock(opening());
    if (table() != nullptr) return "";
    std::string tried;
    for (const auto& [label, file] : places(path, bundled)) {
        std::string wrong = "there is no such file";
        const bool is_there = file[0] != '/' || access(file.c_str(), F_OK) == 0;
        if (is_there) {
            const gputide_api_table* found = nullptr;
            void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | deep_binding());  // never closed
            wrong = library == nullptr ? dlerror() : check(library, found);
            if (found != nullptr) {
                opened_path() = file_of(reinterpret_cast<const void*>(found->version));  // NOLINT: as dladdr takes it
                opened.store(found, std::memory_order_release);
                return "";
            }
        }
        tried += "  " + label + "   " + wrong + "\n";
        if (is_there) break;
    }
    return std::string("gputide: no usable ") + soname + " for ABI " + std::to_string(GPUTIDE_ABI_VERSION) +
           ", release " + spelled(oldest) + " or newer. Tried:\n" + tried + "Install Debian's libgputide" +
           std::to_string(GPUTIDE_ABI_VERSION) + ", or set GPUTIDE_LIBRARY to the library's full path.";
}

}  // namespace gputide_node
