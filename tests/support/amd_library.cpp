// Two idle GPUs behind the functions that libamd_smi.so.26 exports; the first one computes.  GPUTIDE_AMD_SAYS is the status of every
// reading.
#include "source/gpu/amd/amd.hpp"

#include <cstdlib>
#include <cstring>

namespace {

using namespace gputide::source::amd;  // NOLINT: the types of amdsmi.h

struct stand_in {
    const char* uuid;
    std::uint32_t busy;
    std::uint64_t used;
};

stand_in gpus[] = {  // NOLINT(modernize-avoid-c-arrays)
    {"00ff74a1-0000-1000-80b5-c2d1f5a0e8c4", 80, 48'000'000'000},
    {"01ff74a1-0000-1000-80b5-c2d1f5a0e8c4", 0, 0}};

const stand_in& of(handle gpu) { return *static_cast<const stand_in*>(gpu); }

status said() {
    const char* given = std::getenv("GPUTIDE_AMD_SAYS");  // NOLINT(concurrency-mt-unsafe)
    return given == nullptr ? success : static_cast<status>(std::atoi(given));
}

}  // namespace

// NOLINTBEGIN: names and shapes of amdsmi.h
#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED status amdsmi_init(std::uint64_t flags) { return flags == only_gpus ? success : 1; }
EXPORTED status amdsmi_shut_down() { return success; }
EXPORTED status amdsmi_status_code_to_string(status, const char** text) {
    *text = "a status";
    return success;
}
EXPORTED status amdsmi_get_socket_handles(std::uint32_t* count, handle* into) {
    *count = 2;
    for (unsigned i = 0; into != nullptr && i < 2; ++i) into[i] = &gpus[i];
    return success;
}
EXPORTED status amdsmi_get_processor_handles(handle socket, std::uint32_t* count, handle* into) {
    *count = 1;
    if (into != nullptr) *into = socket;
    return success;
}
EXPORTED status amdsmi_get_gpu_device_uuid(handle gpu, unsigned*, char* into) {
    std::strcpy(into, of(gpu).uuid);
    return success;
}
EXPORTED status amdsmi_get_gpu_asic_info(handle, void* into) {
    std::strcpy(static_cast<char*>(into), "AMD Instinct MI300X");
    return success;
}
EXPORTED status amdsmi_get_gpu_activity(handle gpu, engine_usage* into) {
    into->gfx = of(gpu).busy;
    return said();
}
EXPORTED status amdsmi_get_gpu_memory_total(handle, int, std::uint64_t* into) {
    *into = 192'000'000'000;
    return said();
}
EXPORTED status amdsmi_get_gpu_memory_usage(handle gpu, int, std::uint64_t* into) {
    *into = of(gpu).used;
    return said();
}
EXPORTED status amdsmi_get_power_info(handle, void* into) {
    static_cast<std::uint32_t*>(into)[2] = 550;
    return said();
}
EXPORTED status amdsmi_get_energy_count(handle, std::uint64_t* counter, float* resolution, std::uint64_t*) {
    *counter = 0;
    *resolution = 15.3F;
    return said();
}
// NOLINTEND
