// Reads the usage of each process, and the container and pod of a process.
#include "source/gpu/meter.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <set>

namespace gputide::source::nvml {

// Parses the cgroup names of container runtimes and the kubelet (kubernetes/kubernetes pkg/kubelet/cm/cgroup_manager_linux.go:
// pod<UID>, with '_' for '-' under systemd; the runtime's own folder ends in the container's ID).

namespace {

constexpr std::size_t container_id_size = 64;
constexpr std::size_t uid_size = 36;

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// Returns the last run of exactly 64 hexadecimal digits.
std::string container_of(std::string_view text) {
    std::size_t end = text.size();
    while (end > 0) {
        const std::size_t last = end - 1;
        if (!is_hex(text[last])) {
            end = last;
            continue;
        }
        std::size_t begin = last;
        while (begin > 0 && is_hex(text[begin - 1])) --begin;
        if (end - begin == container_id_size) return std::string(text.substr(begin, container_id_size));
        end = begin;
    }
    return {};
}

bool is_uid(std::string_view text) {
    if (text.size() < uid_size) return false;
    for (std::size_t i = 0; i < uid_size; ++i) {
        const bool is_border = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_border ? text[i] != '-' && text[i] != '_' : !is_hex(text[i])) return false;
    }
    return true;
}

std::string pod_of(std::string_view text) {
    constexpr std::string_view mark = "pod";
    for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
        const std::string_view rest = text.substr(at + mark.size());
        if (!is_uid(rest)) continue;
        std::string out(rest.substr(0, uid_size));
        std::replace(out.begin(), out.end(), '_', '-');
        return out;
    }
    return {};
}

}  // namespace

process_identity identity_of(std::string_view cgroup_text) { return {container_of(cgroup_text), pod_of(cgroup_text)}; }

namespace {

constexpr unsigned max_processes = 256;  // MPS has up to 48 clients, time-slicing some dozens of pods
constexpr std::uint64_t memory_unknown = ~std::uint64_t{0};

code running(const calls& calls, device gpu, std::vector<process_memory>& into) {
    if (calls.processes == nullptr) return not_supported;
    into.resize(max_processes);
    unsigned count = max_processes;
    const code said = calls.processes(gpu, &count, into.data());
    into.resize(said == ok ? std::min(count, max_processes) : 0);
    return said;
}

// Computes the usage of each process since a time; the mean of its samples if there are several.
code busy_by_pid(const calls& calls, device gpu, std::uint64_t& newest_us, std::map<unsigned, double>& into) {
    if (calls.process_samples == nullptr) return not_supported;
    std::vector<process_sample> all(std::size_t{max_processes} * 4);
    auto count = static_cast<unsigned>(all.size());
    const code said = calls.process_samples(gpu, all.data(), &count, newest_us);
    if (said == not_found) return ok;  // no process ran a kernel
    if (said != ok) return said;
    all.resize(std::min<std::size_t>(count, all.size()));
    std::set<std::uint64_t> periods;
    std::map<unsigned, unsigned> times;
    bool has_several = false;
    for (const process_sample& sample : all) {
        if (sample.time_us == 0) continue;
        into[sample.pid] += sample.sm;
        has_several = ++times[sample.pid] > 1 || has_several;
        periods.insert(sample.time_us);
        newest_us = std::max(newest_us, sample.time_us);
    }
    if (!has_several) return ok;
    for (auto& [pid, sum] : into) sum /= static_cast<double>(periods.size());
    return ok;
}

extra_labels labels_of(unsigned pid, const process_identity& identity) {
    extra_labels out = {{"pid", std::to_string(pid)}};
    if (!identity.container_id.empty()) out.emplace_back("container_id", identity.container_id);
    if (!identity.pod_uid.empty()) out.emplace_back("pod_uid", identity.pod_uid);
    return out;
}

// A process of another PID namespace has no entry here.
process_identity read_identity(unsigned pid) {
    const std::string path = "/proc/" + std::to_string(pid) + "/cgroup";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
    if (file == nullptr) return {};
    std::array<char, 16'384> buffer{};
    const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), file.get());
    return identity_of({buffer.data(), size});
}

}  // namespace

bool process_filter::takes(unsigned pid, const process_identity& identity) const {
    if (is_empty()) return true;
    if (std::ranges::find(pids, pid) != pids.end()) return true;
    return std::ranges::any_of(containers, [&identity](const std::string& beginning) {
        return !identity.container_id.empty() && identity.container_id.compare(0, beginning.size(), beginning) == 0;
    });
}

code meter::process_values(const gpu& gpu, std::vector<measured>& to) {
    if (gpu.problem != ok) return gpu.problem;
    std::vector<process_memory> all;
    if (const code said = running(calls_, gpu.handle, all); said != ok) return said;
    const bool is_memory = quantity_.unit == "bytes";
    std::map<unsigned, double> busy;
    if (!is_memory) {
        const code said = busy_by_pid(calls_, gpu.handle, past_[gpu.uuid].process_us, busy);
        if (said != ok) return said;
    }
    for (const process_memory& process : all) {
        const process_identity who = read_identity(process.pid);
        if (!processes_.takes(process.pid, who)) continue;
        measured& value = to.emplace_back();
        value.labels = labels_of(process.pid, who);
        value.value = is_memory ? static_cast<double>(process.used) : busy[process.pid];
        if (is_memory && process.used == memory_unknown) value.said = not_supported;
    }
    return ok;
}

void meter::add_processes(const gpu& gpu, std::vector<measured>& to) {
    if (const code said = process_values(gpu, to); said != ok) to.emplace_back().said = said;
}

}  // namespace gputide::source::nvml
