// dlopen and dlsym.
#include "source/gpu/amd/amd.hpp"

#include "base/process.hpp"
#include "source/gpu/amd/functions.hpp"
#include "source/gpu/nvml.hpp"

#include <dlfcn.h>
#include <memory>
#include <string>
#include <utility>

namespace gputide::source::amd {
namespace {

struct known_library {
    const char* name;
    power_layout layout;
};

// The number in the name changes with the layout of structs.  The names without one are of packages for developers.
constexpr std::array libraries = {
    known_library{"libamd_smi.so.26", power_layout::of_26},
    known_library{"libamd_smi.so.24", power_layout::of_24},
    known_library{"libamd_smi.so.27", power_layout::unknown},
    known_library{"libamd_smi.so.25", power_layout::unknown},
    known_library{"libamd_smi.so", power_layout::unknown},
    // ROCm does not add its folder to those that are searched.
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
        return fail(error_class::unavailable, "{} is not one that is known here: it lacks a function of AMD SMI",
                    known.name);
    }
    return fail(error_class::unavailable,
                "there is no AMD SMI here ({}); install amd-smi-lib of ROCm, map /opt/rocm into the "
                "container, or read another machine's GPUs by a trigger of type prometheus",
                first_reason);
}

namespace {

result<nvml::library> load_adapted() {
    auto loaded = load_library();
    if (!loaded) return loaded.take_failure();
    return adapted(*std::move(loaded));
}

// The process's reader: made for the first open trigger, gone with the last.
std::shared_ptr<nvml::reader> amd_reader() {
    static constinit process_wide<nvml::reader> readers;
    return *readers.get([] {
        return result<std::shared_ptr<nvml::reader>>(
            std::make_shared<nvml::reader>(std::make_shared<nvml::driver>(&load_adapted), vendor));
    });
}

}  // namespace

result<description> describe(const manifest::trigger& trigger, const manifest::trigger_rules& rules, manifest::profile,
                             text::report*) {
    return nvml::describe_gpus(trigger, rules, vendor);
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    return nvml::open_on(&amd_reader, described, services);
}

}  // namespace gputide::source::amd
