// Values of GPUs, most of them over the time between two polls of a trigger: its last readings, GPM, energy, health, processes; and the
// GPUs that pods hold.
#pragma once

#include "base/callback.hpp"
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

// One value of one GPU, instance or process, or the reason why it could not be read.
struct measured {
    const gpu* owner = nullptr;  // valid as long as readings::list
    code said = ok;
    error why{status::ok};  // if `said` is another code
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
    measured throttled(const gpu& gpu) const;

    // Returns 1 if the GPU is lost or needs a reset, after uncorrected ECC errors since the driver was loaded, or after an XID
    // error since this object began to listen to the GPU.
    measured unhealthy(const gpu& gpu);

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

struct nvml_clock {
    callback<std::int64_t()> steady_ms;
    callback<void(std::int64_t)> pause_ms;
};

// The GPU usage of each process, and the container and pod of a process.

struct process_identity {
    std::string container_id;  // 64 hexadecimal digits; "": not in a container, or in this process's own
    std::string pod_uid;       // "8a3c…" with '-'; "": not in a pod
};

// Parses "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod8a3c1d0e_….slice/cri-containerd-4f2a….scope" or
// "/docker/4f2a…".
process_identity identity_of(std::string_view cgroup_text);

// Selects processes, to distinguish replicas that share a GPU; empty: every process.
struct process_filter {
    std::vector<unsigned> pids;
    std::vector<std::string> containers;  // IDs or their prefixes

    bool is_empty() const { return pids.empty() && containers.empty(); }
    bool takes(unsigned pid, const process_identity& identity) const;
};

// Reads the values of one poll of a trigger.
class meter {
  public:
    // The arguments must outlive this object.
    meter(const calls& calls, gpm& gpm, health& health, const nvml_clock& clock, const quantity& quantity,
          const process_filter& processes, past_readings& past)
        : calls_(calls),
          gpm_(gpm),
          health_(health),
          clock_(clock),
          quantity_(quantity),
          processes_(processes),
          past_(past) {}

    // Returns the values of `gpus`, in their order.
    std::vector<measured> read(const std::vector<const gpu*>& gpus);

  private:
    // The samples at both ends of a GPU's interval, as far as they exist.
    struct gpm_interval {
        code said = not_supported;
        std::shared_ptr<const gpm_sample> begin, end;
    };

    measured at_once(const gpu& gpu) const;

    // Averages over the time between two polls (meter.cpp): from GPM if the GPU supports it, else the mean of the driver's own
    // samples, else the driver's last sample, with a note that says so.  The first value of a trigger covers the samples that
    // the driver keeps, or an interval of at least 200 ms, for which this waits once.
    std::vector<measured> averages(const std::vector<const gpu*>& gpus);
    gpm_interval begin(const gpu& gpu);
    bool has_driver_samples(const gpu& gpu) const;
    bool is_to_wait(const gpu& gpu, const gpm_interval& interval) const;
    void wait_for(const std::vector<const gpu*>& gpus, std::vector<gpm_interval>& intervals);
    measured average(const gpu& gpu, const gpm_interval& interval);
    code by_gpm(const gpu& gpu, const gpm_interval& interval, measured& out);
    measured single(const gpu& gpu, code gpm_said) const;

    // Computes the mean of the driver's samples after `newest_us` and sets that to the newest one (gpm.cpp). 0: all samples that
    // the driver keeps, about five per second for about 14 s.  Reading removes nothing from the buffer, so several triggers can
    // read it.  Returns false if the GPU has no such buffer, or if it is empty.
    bool mean_of_samples(const gpu& gpu, std::uint64_t& newest_us, measured& out) const;

    // Returns the power of a whole GPU from the energy used between two polls, or its ratio to the power limit (gpm.cpp).  The
    // first value, and each value of a GPU without an energy counter (before Volta), is the driver's own power reading.
    measured average_power(const gpu& gpu);
    bool by_energy(const gpu& gpu, past_reading& past, measured& out) const;

    // Adds the usage of each compute process of a GPU or instance, with the labels pid, container_id and pod_uid
    // (processes.cpp).  A process that has not run a kernel since the last poll has 0.  If nothing can be read, adds one value
    // with an error code.
    void add_processes(const gpu& gpu, std::vector<measured>& to);
    code process_values(const gpu& gpu, std::vector<measured>& to);

    const calls& calls_;
    gpm& gpm_;
    health& health_;
    const nvml_clock& clock_;
    const quantity& quantity_;
    const process_filter& processes_;
    past_readings& past_;
};

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
