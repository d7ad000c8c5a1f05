// Values over the time between two polls of a trigger: its last readings, GPM, energy, health; the usage of each process, and the GPUs
// that pods hold.
#pragma once

#include "base/callback.hpp"
#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "base/sample.hpp"
#include "http/message.hpp"
#include "source/gpu/calls.hpp"
#include "source/gpu/gpus.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::source::nvml {

// A snapshot of a GPU's counters, shared by triggers that poll together.
struct gpm_sample {
    std::shared_ptr<gpm_sample_type> handle;  // freed with the last owner; keeps the library loaded
    std::int64_t steady_ms = 0;
};

struct energy_state {
    std::uint64_t millijoules = 0;
    std::int64_t steady_ms = 0;
};

struct past_reading {
    // From the poll before the last: for a poll too soon after the last one
    std::shared_ptr<const gpm_sample> before;
    std::shared_ptr<const gpm_sample> last;
    std::uint64_t sample_us = 0;  // time of the newest of the driver's samples that was used; 0: none
    std::optional<energy_state> energy;
    std::uint64_t process_us = 0;
};

// The readings of one trigger by UUID.
using past_readings = std::map<std::string, past_reading>;

using extra_labels = std::vector<std::pair<std::string, std::string>>;

// One value of one GPU, instance or process.
struct measured_value {
    code said = ok;
    double value = 0.0;
    gputide::read_by read_by = gputide::read_by::unknown;
    std::int64_t interval_ms = 0;
    std::string note;  // a remark on the value, for display
    extra_labels labels;
};

// Tells whether a GPU's clocks are reduced, and whether it had errors.

class health {
  public:
    health(const calls& calls, std::shared_ptr<void> loaded) : calls_(calls), loaded_(std::move(loaded)) {}
    health(const health&) = delete;
    health& operator=(const health&) = delete;
    ~health();  // must run before nvmlShutdown

    // Returns 1 if the driver reduces the clocks; the label `reasons` says why.
    measured_value throttled(const gpu& gpu) const;

    // Returns 1 if the GPU is lost or needs a reset, after uncorrected ECC errors since the driver was loaded, or after an XID
    // error since this object began to listen to the GPU.
    measured_value unhealthy(const gpu& gpu);

  private:
    void listen(const gpu& gpu);
    void hear();

    const calls calls_;
    const std::shared_ptr<void> loaded_;
    event_set events_ = nullptr;
    std::set<device> heard_;
    std::map<device, std::set<std::uint64_t>> xids_;
};

// GPM: counters of the driver (Hopper and newer), read at both ends of an interval.  Triggers that poll together share the
// samples of a GPU.

// NVML refreshes its counters about ten times a second (nvml.h, nvmlGpmSampleGet).  Two samples that are closer together give no
// exact value, and a sample younger than this is as good as a new one.
inline constexpr std::int64_t gpm_refresh_ms = 100;
inline constexpr std::int64_t min_gpm_interval_ms = 200;

class gpm {
  public:
    // `loaded` keeps the library loaded as long as a sample exists.
    gpm(const calls& calls, std::shared_ptr<void> loaded) : calls_(calls), loaded_(std::move(loaded)) {}

    // Forgets GPUs that are gone, and checks again which GPUs support GPM.
    void relisted(const std::vector<gpu>& list);

    // Takes a sample.  Returns ok, not_supported, no_permission, or why the sample could not be taken.
    code take(const gpu& gpu, std::int64_t steady_ms, std::shared_ptr<const gpm_sample>& into);

    // Returns the sample before the latest one, of any trigger, or null.
    std::shared_ptr<const gpm_sample> earlier(const gpu& gpu) const;

    // Computes the value between two samples of that GPU.
    code value(const gpu& gpu, const gpm_sample& first, const gpm_sample& second, unsigned metric, double& into);

  private:
    struct gpu_state {
        code support = ok;
        bool is_asked = false;
        std::shared_ptr<const gpm_sample> latest, earlier;
        // The last result, for triggers that poll together.
        gpm_request computed;
        std::shared_ptr<gpm_sample_type> first, second;
    };

    code supports(const gpu& gpu, gpu_state& state) const;
    std::shared_ptr<gpm_sample_type> new_sample(code& said) const;
    code compute(gpu_state& state, const gpm_sample& first, const gpm_sample& second, unsigned metric) const;

    const calls calls_;
    const std::shared_ptr<void> loaded_;
    std::map<std::string, gpu_state> known_;  // key: UUID
};

// Power as the energy used between two polls, and its ratio to the power limit.

// Returns `power_average_watts` or `power_ratio` of a whole GPU.  The first value, and each value of a GPU without an energy
// counter (before Volta), is the driver's own power reading.
measured_value average_power(const calls& calls, const quantity& quantity, const gpu& gpu, std::int64_t steady_ms,
                             past_reading& past);

// Values of GPUs over the time between two polls of a trigger: from GPM if the GPU supports it, else the mean of the driver's own
// samples, else the driver's last sample, with a note that says so.

struct nvml_clock {
    callback<std::int64_t()> steady_ms;
    callback<void(std::int64_t)> pause_ms;
};

// Returns one value for each of `gpus`, in their order.  The first value of a trigger covers the samples that the driver keeps,
// or an interval of at least 200 ms, for which this call waits once.
std::vector<measured_value> averaged_values(const calls& calls, gpm& gpm, const nvml_clock& clock,
                                            const quantity& quantity, const std::vector<const gpu*>& gpus,
                                            past_readings& past);

// The GPU usage of each process, and the container and pod of a process.

struct process_identity {
    std::string container_id;  // 64 hexadecimal digits; "": not in a container, or in this process's own
    std::string pod_uid;       // "8a3c…" with '-'; "": not in a pod
};

// Parses "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod8a3c1d0e_….slice/cri-containerd-4f2a….scope" or
// "/docker/4f2a…".
process_identity identity_of(std::string_view cgroup_text);

// The GPU usage of each process, to distinguish replicas that share a GPU.

// Selects processes; empty: every process.
struct process_filter {
    std::vector<unsigned> pids;
    std::vector<std::string> containers;  // IDs or their prefixes

    bool takes(unsigned pid, const process_identity& identity) const;
};

using identity_reader = function_ref<process_identity(unsigned pid)>;

// Reads PID/cgroup in the folder `proc`.  A process of another PID namespace has no entry there.
process_identity read_identity(const std::string& proc, unsigned pid);

// Returns `process_utilization` or `process_memory_bytes` of each compute process of a GPU or instance, with the labels pid,
// container_id and pod_uid.  A process that has not run a kernel since the last poll has 0.  If nothing can be read, returns one
// value with an error code.
std::vector<measured_value> process_values(const calls& calls, const quantity& quantity, const gpu& gpu,
                                           const process_filter& filter, identity_reader identity, past_reading& past);

// The GPUs that each pod of this node holds, from the kubelet's pod-resources socket: the request, its response, and the choice
// of GPUs by pods.  Pure. (kubernetes/kubernetes staging/src/k8s.io/kubelet/pkg/apis/podresources/v1/api.proto @v1.29: service
// v1.PodResourcesLister, method List.)

// The kubelet's socket with the default --root-dir.
inline constexpr std::string_view usual_kubelet_socket = "/var/lib/kubelet/pod-resources/kubelet.sock";
inline constexpr const char* kubelet_socket_variable = "GPUTIDE_KUBELET_SOCKET";  // environment variable of the host

// Pods as a manifest names them: "llm-0", "ml/llm-0", "ml/llm-*".
struct wanted_pod {
    std::string name_space;  // "": any
    std::string name;        // or its prefix
    bool is_beginning = false;
    std::string text;  // as written
};
std::optional<wanted_pod> parse_pod(std::string_view text);

struct gpu_holder {
    std::string name_space;
    std::string pod;
    std::string container;
};

// Key: UUID of a GPU or MIG instance.  Several holders share it by time-slicing or MPS.
using held_gpus = std::map<std::string, std::vector<gpu_holder>, std::less<>>;

http::request held_gpus_request(const std::string& socket);
// Parses the response.  Each error has a remedy: no socket, no permission, no kubelet behind the socket, a response that is not a
// ListPodResourcesResponse.
result<held_gpus> read_held_gpus(const http::answer& answer, const std::string& socket);

// Returns the GPUs that the wanted pods hold.  Errors (no_data): the pods hold no GPU; a GPU is shared with another pod, because
// the kubelet does not say which process on it belongs to which pod.
result<std::vector<wanted_gpu>> gpus_of_pods(const held_gpus& held, const std::vector<wanted_pod>& pods);

// Returns pod, namespace and container under dcgm-exporter's label names.  No labels if several pods share the GPU; no container
// if several containers of one pod share it.
extra_labels holder_labels(const held_gpus& held, std::string_view uuid);

}  // namespace gputide::source::nvml
