// The used part of NVML, as libnvidia-ml.so.1 exports it: C types of the same layout, and one table of functions, which tests can
// replace. (nvml.h as in NVIDIA/go-nvml gen/nvml; for GPM pynvml.py of nvidia-ml-py 13.615; function names with their _v2
// suffixes, which the header hides behind macros.)
#pragma once

#include <array>
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
inline constexpr code insufficient_size = 7;
inline constexpr code driver_not_loaded = 9;
inline constexpr code timed_out = 10;
inline constexpr code library_not_found = 12;
inline constexpr code function_not_found = 13;
inline constexpr code gpu_is_lost = 15;
inline constexpr code reset_required = 16;
inline constexpr code version_mismatch = 18;
inline constexpr code gpu_not_found = 28;
inline constexpr code unknown_error = 999;

struct device_type;
using device = device_type*;  // nvmlDevice_t

inline constexpr bool is_64_bit = sizeof(void*) == 8;  // the drivers exist only for 64-bit machines

struct busy_percent {  // nvmlUtilization_t
    unsigned gpu = 0;
    unsigned memory = 0;
};
static_assert(sizeof(busy_percent) == 8);

struct memory_bytes {  // nvmlMemory_t; `used` includes the memory that driver and firmware reserve
    std::uint64_t total = 0;
    std::uint64_t free = 0;
    std::uint64_t used = 0;
};
static_assert(sizeof(memory_bytes) == 24);

struct memory_bytes_2 {  // nvmlMemory_v2_t; `used` excludes the reserved memory
    unsigned version = 0x02000028;
    std::uint64_t total = 0;
    std::uint64_t reserved = 0;
    std::uint64_t free = 0;
    std::uint64_t used = 0;
};
static_assert(sizeof(memory_bytes_2) == 0x28);

inline constexpr unsigned text_size = 96;      // for UUIDs and names
inline constexpr unsigned gpu_die_sensor = 0;  // NVML_TEMPERATURE_GPU

union sample_number {  // nvmlValue_t; the type is stored separately
    double floating;
    unsigned int32;
    std::uint64_t int64 = 0;
};
static_assert(sizeof(sample_number) == 8);

inline constexpr int number_is_floating = 0;  // NVML_VALUE_TYPE_DOUBLE
inline constexpr int number_is_int32 = 1;     // NVML_VALUE_TYPE_UNSIGNED_INT

struct timed_sample {           // nvmlSample_t
    std::uint64_t time_us = 0;  // Unix time of the host's clock
    sample_number value;
};
static_assert(sizeof(timed_sample) == 16);

inline constexpr int gpu_busy_samples = 1;     // NVML_GPU_UTILIZATION_SAMPLES
inline constexpr int memory_busy_samples = 2;  // NVML_MEMORY_UTILIZATION_SAMPLES

struct gpm_sample_type;
using gpm_sample_handle = gpm_sample_type*;  // nvmlGpmSample_t

struct gpm_metric {  // nvmlGpmMetric_t
    unsigned id = 0;
    code said = 0;
    double value = 0.0;
    std::array<const char*, 3> texts{};
};
static_assert(!is_64_bit || sizeof(gpm_metric) == 40);

// nvmlGpmMetricsGet_t.  The array has the length NVML_GPM_METRIC_MAX of the first header with GPM.  Later headers have a longer
// array; the library reads and writes only `count` elements.
struct gpm_request {
    unsigned version = 1;
    unsigned count = 0;
    gpm_sample_handle first = nullptr;
    gpm_sample_handle second = nullptr;
    std::array<gpm_metric, 98> metrics;
};
static_assert(!is_64_bit || offsetof(gpm_request, metrics) == 24);

struct gpm_support {  // nvmlGpmSupport_t
    unsigned version = 1;
    unsigned is_supported = 0;
};
static_assert(sizeof(gpm_support) == 8);

struct process_sample {  // nvmlProcessUtilizationSample_t
    unsigned pid = 0;
    std::uint64_t time_us = 0;
    unsigned sm = 0;  // percent
    unsigned memory = 0;
    unsigned encoder = 0;
    unsigned decoder = 0;
};
static_assert(sizeof(process_sample) == 32);

struct process_memory {  // nvmlProcessInfo_v2_t
    unsigned pid = 0;
    std::uint64_t used = 0;  // bytes; all bits set: unknown
    unsigned gpu_instance = 0;
    unsigned compute_instance = 0;
};
static_assert(sizeof(process_memory) == 24);

struct event_set_type;
using event_set = event_set_type*;  // nvmlEventSet_t

struct event_data {  // nvmlEventData_t
    device of = nullptr;
    std::uint64_t type = 0;
    std::uint64_t data = 0;  // number of an XID event
    unsigned gpu_instance = 0;
    unsigned compute_instance = 0;
};
static_assert(sizeof(event_data) == 32);

inline constexpr std::uint64_t xid_event = 8;      // nvmlEventTypeXidCriticalError
inline constexpr unsigned uncorrected_errors = 1;  // NVML_MEMORY_ERROR_TYPE_UNCORRECTED
inline constexpr unsigned volatile_counter = 0;    // NVML_VOLATILE_ECC: since the driver was loaded

struct vendor;
extern const vendor nvidia;

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

    // Null if the driver is too old.
    code (*memory_2)(device, memory_bytes_2*) = nullptr;
    code (*mig_mode)(device, unsigned* now, unsigned* after_reset) = nullptr;
    code (*max_instances)(device, unsigned*) = nullptr;
    code (*instance)(device, unsigned, device*) = nullptr;
    code (*instance_id)(device, unsigned*) = nullptr;
    code (*samples)(device, int type, std::uint64_t after_us, int* number_type, unsigned* count,
                    timed_sample*) = nullptr;
    code (*energy)(device, std::uint64_t* millijoules) = nullptr;  // since the driver was loaded
    code (*power_limit)(device, unsigned* milliwatts) = nullptr;
    code (*clock_reasons)(device, std::uint64_t* mask) = nullptr;
    code (*ecc_errors)(device, unsigned type, unsigned counter, std::uint64_t*) = nullptr;
    code (*process_samples)(device, process_sample*, unsigned* count, std::uint64_t after_us) = nullptr;
    code (*processes)(device, unsigned* count, process_memory*) = nullptr;
    code (*new_event_set)(event_set*) = nullptr;
    code (*free_event_set)(event_set) = nullptr;
    code (*register_events)(device, std::uint64_t types, event_set) = nullptr;
    code (*wait_event)(event_set, event_data*, unsigned timeout_ms) = nullptr;
    code (*gpm_supported)(device, gpm_support*) = nullptr;
    code (*gpm_new)(gpm_sample_handle*) = nullptr;
    code (*gpm_free)(gpm_sample_handle) = nullptr;
    code (*gpm_take)(device, gpm_sample_handle) = nullptr;
    code (*gpm_take_of_instance)(device, unsigned gpu_instance, gpm_sample_handle) = nullptr;
    code (*gpm_compute)(gpm_request*) = nullptr;

    const vendor* of = &nvidia;  // vendor of the library

    bool has_gpm() const {
        return gpm_supported != nullptr && gpm_new != nullptr && gpm_free != nullptr && gpm_take != nullptr &&
               gpm_compute != nullptr;
    }
    bool has_events() const {
        return new_event_set != nullptr && free_event_set != nullptr && register_events != nullptr &&
               wait_event != nullptr;
    }
};

}  // namespace gputide::source::nvml
