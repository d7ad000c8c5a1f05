// The names that container runtimes and the kubelet give cgroups (kubernetes/kubernetes pkg/kubelet/cm/cgroup_manager_linux.go:
// pod<UID>, with '_' for '-' under systemd; the runtime's own folder ends in the container's id).
#include "source/gpu/process_id.hpp"

#include <algorithm>
#include <cstddef>

namespace gputide::source::nvml {
namespace {

constexpr std::size_t container_id_size = 64;
constexpr std::size_t uid_size = 36;

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// The last run of exactly 64 hexadecimal digits.
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

}  // namespace gputide::source::nvml
