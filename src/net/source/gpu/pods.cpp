// Parses the kubelet's response and chooses GPUs by it.
#include "base/format_text.hpp"
#include "base/stable_order.hpp"
#include "base/text.hpp"
#include "source/gpu/meter.hpp"
#include "source/grpc/grpc.hpp"

#include <algorithm>
#include <utility>

namespace gputide::source::nvml {
namespace {

using grpc::wire_field;
using grpc::wire_reader;
using grpc::wire_type;

constexpr grpc::grpc_peer kubelet = {"the kubelet", "the socket must be the kubelet's pod-resources socket"};
constexpr std::size_t max_listed = 8;  // pods in a message

// Returns the UUID in "GPU-3f6c…", "MIG-…" or "GPU-3f6c…::2", which is one of several replicas of a shared GPU
// (NVIDIA/k8s-device-plugin internal/rm/devices.go AnnotatedID @v0.17).  Devices of other kinds have other names.
std::string_view uuid_of(std::string_view device_id) {
    if (device_id.substr(0, 4) != "GPU-" && device_id.substr(0, 4) != "MIG-") return {};
    return device_id.substr(0, device_id.find("::"));
}

bool is_same(const gpu_holder& a, const gpu_holder& b) { return a.pod == b.pod && a.name_space == b.name_space; }

void add_holder(held_gpus& to, std::string_view uuid, const gpu_holder& holder) {
    std::vector<gpu_holder>& holders = to[std::string(uuid)];
    const bool is_known = std::ranges::any_of(holders, [&holder](const gpu_holder& entry) {
        return is_same(entry, holder) && entry.container == holder.container;
    });
    if (!is_known) holders.push_back(holder);  // a container may have several replicas of one GPU
}

// Reads ContainerDevices: device_ids = 2.
bool read_devices(std::string_view message, const gpu_holder& holder, held_gpus& into) {
    wire_reader reader(message);
    for (wire_field field; reader.next(field);) {
        if (!field.is(2, wire_type::bytes)) continue;
        if (const std::string_view uuid = uuid_of(field.bytes); !uuid.empty()) add_holder(into, uuid, holder);
    }
    return reader.is_whole();
}

// Reads ContainerResources: name = 1, devices = 2.
bool read_container(std::string_view message, gpu_holder holder, held_gpus& into) {
    std::vector<std::string_view> devices;  // fields come in any order
    wire_reader reader(message);
    for (wire_field field; reader.next(field);) {
        if (field.is(1, wire_type::bytes)) holder.container = field.bytes;
        if (field.is(2, wire_type::bytes)) devices.push_back(field.bytes);
    }
    return reader.is_whole() && valid_utf8(holder.container) &&
           std::ranges::all_of(devices, [&](std::string_view text) { return read_devices(text, holder, into); });
}

// Reads PodResources: name = 1, namespace = 2, containers = 3.
bool read_pod(std::string_view message, held_gpus& into) {
    gpu_holder holder;
    std::vector<std::string_view> containers;
    wire_reader reader(message);
    for (wire_field field; reader.next(field);) {
        if (field.is(1, wire_type::bytes)) holder.pod = field.bytes;
        if (field.is(2, wire_type::bytes)) holder.name_space = field.bytes;
        if (field.is(3, wire_type::bytes)) containers.push_back(field.bytes);
    }
    return reader.is_whole() && valid_utf8(holder.pod) && valid_utf8(holder.name_space) &&
           std::ranges::all_of(containers, [&](std::string_view text) { return read_container(text, holder, into); });
}

std::string pod_text(const gpu_holder& holder) { return holder.name_space + "/" + holder.pod; }

bool is_wanted(const gpu_holder& holder, const std::vector<wanted_pod>& pods) {
    return std::ranges::any_of(pods, [&holder](const wanted_pod& wanted) {
        if (!wanted.name_space.empty() && wanted.name_space != holder.name_space) return false;
        return wanted.is_beginning ? holder.pod.compare(0, wanted.name.size(), wanted.name) == 0
                                   : holder.pod == wanted.name;
    });
}

error shared_gpu(const std::string& uuid, const std::vector<gpu_holder>& holders) {
    std::string text = format_text("{} is shared by the pods", uuid);
    for (std::size_t i = 0; i < std::min(holders.size(), max_listed); ++i)
        text.append(i == 0 ? " " : ", ").append(pod_text(holders[i]));
    return fail(error_class::no_data,
                "{} (time-slicing or MPS), and the kubelet does not tell which pod a process belongs to: list all of "
                "these pods, or select processes by containers (`crictl ps` prints their ids)",
                text);
}

error no_gpu(const held_gpus& held, const std::vector<wanted_pod>& pods) {
    std::string text = "no pod";
    for (std::size_t i = 0; i < pods.size(); ++i) text.append(i == 0 ? " " : " or ").append(pods[i].text);
    text += " uses a GPU of this node";
    if (held.empty()) return fail(error_class::no_data, "{}; no pod uses one through a device plugin", text);
    std::vector<std::string> others;
    for (const auto& [uuid, holders] : held) {
        for (const gpu_holder& holder : holders) others.push_back(pod_text(holder));
    }
    sort_stably(others);
    others.erase(std::unique(others.begin(), others.end()), others.end());
    for (std::size_t i = 0; i < std::min(others.size(), max_listed); ++i)
        text.append(i == 0 ? "; these do: " : ", ").append(others[i]);
    return fail(error_class::no_data, std::move(text));
}

}  // namespace

std::optional<wanted_pod> parse_pod(std::string_view text) {
    wanted_pod out;
    out.text = text;
    if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
        out.name_space = text.substr(0, slash);
        if (out.name_space.empty()) return std::nullopt;
        text.remove_prefix(slash + 1);
    }
    out.is_beginning = !text.empty() && text.back() == '*';
    if (out.is_beginning) text.remove_suffix(1);
    out.name = text;
    const auto is_of_names = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '.';
    };
    const bool is_name = std::ranges::all_of(out.name, is_of_names) && std::ranges::all_of(out.name_space, is_of_names);
    if (!is_name || (out.name.empty() && !out.is_beginning)) return std::nullopt;
    return out;
}

http::request held_gpus_request(const std::string& socket) {
    // A host name used for nothing else: circuits and limits by host and port must not mix with another server's.
    http::request out = grpc::grpc_request("http://kubelet/v1.PodResourcesLister/List", {});
    out.unix_socket = socket;
    out.use_proxy = false;
    return out;
}

result<held_gpus> read_held_gpus(const http::answer& answer, const std::string& socket) {
    if (answer.fault == http::fault::connect) {
        return fail(error_class::unavailable,
                    "{}; the trigger's `pods` are read from the kubelet: run this on the node as a user that may open "
                    "its socket (root), in a container with the folder {} mounted, or set the socket in {}. Without "
                    "`pods` the kubelet is not needed",
                    answer.fault_text, socket.substr(0, socket.rfind('/')), kubelet_socket_variable);
    }
    const auto message = grpc::grpc_message(answer, kubelet);
    if (!message) return message.failure();
    held_gpus out;
    wire_reader reader(*message);
    bool is_well = true;
    for (wire_field field; is_well && reader.next(field);) {
        if (field.is(1, wire_type::bytes)) is_well = read_pod(field.bytes, out);
    }
    if (is_well && reader.is_whole()) return out;
    return fail(error_class::shape, "the kubelet's answer is not a ListPodResourcesResponse");
}

result<std::vector<wanted_gpu>> gpus_of_pods(const held_gpus& held, const std::vector<wanted_pod>& pods) {
    std::vector<wanted_gpu> out;
    for (const auto& [uuid, holders] : held) {
        const auto count =
            std::ranges::count_if(holders, [&pods](const gpu_holder& holder) { return is_wanted(holder, pods); });
        if (count == 0) continue;
        if (static_cast<std::size_t>(count) < holders.size()) return shared_gpu(uuid, holders);
        wanted_gpu wanted;
        wanted.uuid = wanted.text = uuid;
        out.push_back(std::move(wanted));
    }
    if (out.empty()) return no_gpu(held, pods);
    return out;
}

extra_labels holder_labels(const held_gpus& held, std::string_view uuid) {
    const auto at = held.find(uuid);
    if (at == held.end()) return {};
    const std::vector<gpu_holder>& holders = at->second;
    const gpu_holder& first = holders.front();
    if (!std::ranges::all_of(holders, [&first](const gpu_holder& holder) { return is_same(holder, first); })) return {};
    extra_labels out = {{"pod", first.pod}, {"namespace", first.name_space}};
    if (holders.size() == 1) out.emplace_back("container", first.container);
    return out;
}

}  // namespace gputide::source::nvml
