// Loads the library with dlopen and dlsym.
#include "source/gpu/amd/amd.hpp"

#include <array>
#include <dlfcn.h>
#include <string>

namespace gputide::source::amd {
namespace {

struct known_library {
    const char* name;
    power_layout layout;
};

// The version in the name changes with the layout of structs.  Names without a version belong to development packages.
constexpr std::array libraries = {
    known_library{"libamd_smi.so.26", power_layout::of_26},
    known_library{"libamd_smi.so.24", power_layout::of_24},
    known_library{"libamd_smi.so.27", power_layout::unknown},
    known_library{"libamd_smi.so.25", power_layout::unknown},
    known_library{"libamd_smi.so", power_layout::unknown},
    // ROCm does not add its folder to the loader's search path.
    known_library{"/opt/rocm/lib/libamd_smi.so.26", power_layout::of_26},
    known_library{"/opt/rocm/lib/libamd_smi.so.24", power_layout::of_24},
    known_library{"/opt/rocm/lib/libamd_smi.so", power_layout::unknown},
};

template <class Function>
bool find_function(void* in, const char* symbol, Function& into) {
    into = reinterpret_cast<Function>(dlsym(in, symbol));
    return into != nullptr;
}

bool find_all(void* in, functions& into) {
    return find_function(in, "amdsmi_init", into.init) && find_function(in, "amdsmi_shut_down", into.shut_down) &&
           find_function(in, "amdsmi_status_code_to_string", into.status_text) &&
           find_function(in, "amdsmi_get_socket_handles", into.sockets) &&
           find_function(in, "amdsmi_get_processor_handles", into.processors) &&
           find_function(in, "amdsmi_get_gpu_device_uuid", into.uuid) &&
           find_function(in, "amdsmi_get_gpu_asic_info", into.asic) &&
           find_function(in, "amdsmi_get_gpu_activity", into.activity) &&
           find_function(in, "amdsmi_get_gpu_memory_total", into.memory_total) &&
           find_function(in, "amdsmi_get_gpu_memory_usage", into.memory_used) &&
           find_function(in, "amdsmi_get_power_info", into.power) &&
           find_function(in, "amdsmi_get_energy_count", into.energy);
}

}  // namespace

result<library> load_library() {
    std::string first_reason;
    for (const known_library& known : libraries) {
        void* opened = dlopen(known.name, RTLD_NOW | RTLD_LOCAL);
        if (opened == nullptr) {
            const char* said = dlerror();
            if (first_reason.empty() && said != nullptr) first_reason = said;
            continue;
        }
        library out;
        out.loaded = {opened, &dlclose};
        out.functions.layout = known.layout;
        if (find_all(opened, out.functions)) return out;
        return fail(error_class::unavailable, "{} is not supported: it lacks a function of AMD SMI", known.name);
    }
    return fail(error_class::unavailable,
                "AMD SMI is not available ({}); install amd-smi-lib of ROCm, mount /opt/rocm into the container, or "
                "read another machine's GPUs with a trigger of type prometheus",
                first_reason);
}

}  // namespace gputide::source::amd
