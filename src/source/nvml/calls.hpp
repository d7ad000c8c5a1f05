// The part of NVML that is used, as libnvidia-ml.so.1 exports it: C types of the same layout, and one table of its functions,
// so that a test can hand in its own.  (nvml.h as NVIDIA/go-nvml gen/nvml carries it; names with their _v2 suffixes, which
// the header hides behind macros.)
#pragma once

#include <cstddef>
#include <cstdint>

namespace gputide::source::nvml {

using code = int;  // nvmlReturn_t

inline constexpr code ok = 0;
inline constexpr code uninitialized = 1;
inline constexpr code invalid_argument = 2;
inline constexpr code not_supported = 3;
inline constexpr code no_permission = 4;
inline constexpr code not_found = 6;
inline constexpr code driver_not_loaded = 9;
inline constexpr code library_not_found = 12;
inline constexpr code function_not_found = 13;
inline constexpr code gpu_is_lost = 15;
inline constexpr code reset_required = 16;
inline constexpr code version_mismatch = 18;
inline constexpr code gpu_not_found = 28;

struct device_type;
using device = device_type*;  // nvmlDevice_t

struct busy_percent {  // nvmlUtilization_t
    unsigned gpu = 0;
    unsigned memory = 0;
};
static_assert(sizeof(busy_percent) == 8);

struct memory_bytes {  // nvmlMemory_t; used has what driver and firmware reserve in it
    std::uint64_t total = 0;
    std::uint64_t free = 0;
    std::uint64_t used = 0;
};
static_assert(sizeof(memory_bytes) == 24);

struct memory_bytes_2 {  // nvmlMemory_v2_t; used is without what is reserved
    unsigned version = 0x02000028;
    std::uint64_t total = 0;
    std::uint64_t reserved = 0;
    std::uint64_t free = 0;
    std::uint64_t used = 0;
};
static_assert(sizeof(memory_bytes_2) == 0x28);

inline constexpr unsigned text_size = 96;      // of UUIDs and names
inline constexpr unsigned gpu_die_sensor = 0;  // NVML_TEMPERATURE_GPU

struct calls {
    code (*init)() = nullptr;
    code (*shutdown)() = nullptr;
    const char* (*error_text)(code) = nullptr;
    code (*count)(unsigned*) = nullptr;
    code (*by_index)(unsigned, device*) = nullptr;
    code (*uuid)(device, char*, unsigned) = nullptr;
    code (*name)(device, char*, unsigned) = nullptr;
    code (*busy)(device, busy_percent*) = nullptr;
    code (*memory)(device, memory_bytes*) = nullptr;
    code (*temperature)(device, unsigned sensor, unsigned* celsius) = nullptr;
    code (*power)(device, unsigned* milliwatts) = nullptr;

    // Null where the driver is too old to have them.
    code (*memory_2)(device, memory_bytes_2*) = nullptr;
    code (*mig_mode)(device, unsigned* now, unsigned* after_reset) = nullptr;
    code (*most_instances)(device, unsigned*) = nullptr;
    code (*instance)(device, unsigned, device*) = nullptr;
    code (*instance_id)(device, unsigned*) = nullptr;
};

}  // namespace gputide::source::nvml
