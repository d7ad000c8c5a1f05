// The trigger type amd: keys, and AMD SMI as a GPU driver.
#pragma once

#include "base/result.hpp"
#include "source/gpu/driver.hpp"
#include "source/gpu/gpus.hpp"
#include "source/gpu/nvml.hpp"
#include "source/source.hpp"
#include "source/target.hpp"
#include "text/field.hpp"

#include <array>
#include <cstdint>
#include <memory>

namespace gputide::source::amd {

// The used part of AMD SMI, as libamd_smi.so exports it: one table of functions, which tests can replace. (ROCm/amdsmi
// include/amd_smi/amdsmi.h: version 24.7 @0ceca28f, and 26.5 in ROCm/rocm-systems projects/amdsmi @019df164.)

using status = unsigned;  // amdsmi_status_t
using handle = void*;     // amdsmi_socket_handle, amdsmi_processor_handle

inline constexpr status success = 0;
inline constexpr std::uint64_t only_gpus = 2;  // AMDSMI_INIT_AMD_GPUS
inline constexpr int video_memory = 0;         // AMDSMI_MEM_TYPE_VRAM
inline constexpr unsigned not_there = 0xFFFF;  // the firmware's mark for a value that the GPU does not have

struct engine_usage {          // amdsmi_engine_usage_t, the same in both versions
    std::uint32_t gfx = 0;     // percent
    std::uint32_t memory = 0;  // of the memory controller (UMC), percent
    std::uint32_t media = 0;
    std::array<std::uint32_t, 13> reserved{};
};
static_assert(sizeof(engine_usage) == 64);

// Start of amdsmi_power_info_t: in 24 the current and the average socket power; in 26 another 64-bit number before these.  All in
// W.
enum class power_layout : std::int8_t { unknown, of_24, of_26 };

// Larger than the struct in any version.
using power_buffer = std::array<std::uint32_t, 256>;
using asic_buffer = std::array<char, 4'096>;  // amdsmi_asic_info_t begins with the name

struct functions {
    status (*init)(std::uint64_t flags) = nullptr;
    status (*shut_down)() = nullptr;
    status (*status_text)(status, const char**) = nullptr;
    status (*sockets)(std::uint32_t* count, handle*) = nullptr;
    status (*processors)(handle socket, std::uint32_t* count, handle*) = nullptr;
    status (*uuid)(handle, unsigned* size, char*) = nullptr;
    status (*asic)(handle, void*) = nullptr;
    status (*activity)(handle, engine_usage*) = nullptr;
    status (*memory_total)(handle, int type, std::uint64_t* bytes) = nullptr;
    status (*memory_used)(handle, int type, std::uint64_t* bytes) = nullptr;
    status (*power)(handle, void*) = nullptr;
    // counter × resolution is the energy in µJ.
    status (*energy)(handle, std::uint64_t* counter, float* resolution, std::uint64_t* time_ns) = nullptr;
    power_layout layout = power_layout::unknown;
};

struct library {
    amd::functions functions;
    std::shared_ptr<void> loaded;
};

// Loads the library without initializing it.  Errors: not_here if the library does not exist or lacks a function.
result<library> load_library();

inline constexpr auto keys =
    text::fields({
        {.names = {"metric"},
         .required = true,
         .range = "`gpu_utilization`, `memory_copy_utilization`, `memory_used_bytes`, `memory_free_bytes`, "
                  "`memory_total_bytes`, `memory_used_ratio`, `power_watts`, `power_average_watts`",
         .meaning = "the metric that is read from each GPU"},
        {.names = "devices device",
         .type = value_type::list,
         .otherwise = "all GPUs of the machine",
         .range = "`0` (index), or a UUID as `amd-smi list` prints it",
         .meaning = "the GPUs to read; an index may refer to another GPU after a reboot, a UUID does not change"},
    }) +
    nvml::last_keys;

// AMD SMI as the table of calls that all GPU drivers have in common.

extern const nvml::vendor vendor;

// Fills the table.  Only one library at a time, because the functions of the table have no context argument.
nvml::library adapted(library from);

// The trigger type amd: AMD GPUs of this machine, read with AMD SMI.  Everything but the library's calls is shared with nvml:
// listing, averages, the thread, the reduction to a sample.

result<description> describe(trigger_reader& read);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::amd
