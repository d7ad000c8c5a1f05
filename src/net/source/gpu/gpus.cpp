// Listing and choosing.
#include "source/gpu/gpus.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace gputide::source::nvml {
namespace {

using text_call = code (*)(device, char*, unsigned);

std::string text_of(text_call call, device gpu) {
    std::array<char, text_size> buffer{};
    if (call(gpu, buffer.data(), text_size) != ok) return {};
    buffer.back() = '\0';
    return buffer.data();
}

bool is_in_mig_mode(const calls& calls, device gpu) {
    if (calls.mig_mode == nullptr || calls.most_instances == nullptr || calls.instance == nullptr) return false;
    unsigned now = 0;
    unsigned after_reset = 0;
    return calls.mig_mode(gpu, &now, &after_reset) == ok && now == 1;
}

// A position without an instance is a hole, and others may follow it.
void add_instances(const calls& calls, const gpu& whole, std::vector<gpu>& gpus) {
    unsigned most = 0;
    if (calls.most_instances(whole.handle, &most) != ok) return;
    for (unsigned position = 0; position < most; ++position) {
        gpu one;
        if (calls.instance(whole.handle, position, &one.handle) != ok) continue;
        one.whole = whole.handle;
        one.index = whole.index;
        one.instance = position;
        one.uuid = text_of(calls.uuid, one.handle);
        one.name = whole.name;
        if (calls.instance_id != nullptr) calls.instance_id(one.handle, &one.instance_id);
        gpus.push_back(std::move(one));
    }
}

std::optional<unsigned> small_number(std::string_view text) {
    const bool digits =
        !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    const auto number = digits ? parse_int64(text) : std::nullopt;
    if (!number || *number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
    return static_cast<unsigned>(*number);
}

// "29ff74a1-0000-1000-80b5-c2d1f5a0e8c4": AMD's UUIDs have no word in front.
bool is_bare_uuid(std::string_view text) {
    constexpr std::size_t uuid_size = 36;
    return text.size() == uuid_size && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-';
}

bool fits(const gpu& one, const wanted_gpu& wanted) {
    if (!wanted.uuid.empty()) return equal_ignoring_case(one.uuid, wanted.uuid);
    return one.index == wanted.index && one.instance == wanted.instance;
}

const gpu* whole_gpu(const std::vector<gpu>& gpus, unsigned index) {
    const auto at =
        std::find_if(gpus.begin(), gpus.end(), [index](const gpu& one) { return one.index == index && !one.instance; });
    return at == gpus.end() ? nullptr : &*at;
}

void add_once(const gpu* one, chosen_gpus& chosen_gpus) {
    if (one != nullptr && std::find(chosen_gpus.all.begin(), chosen_gpus.all.end(), one) == chosen_gpus.all.end())
        chosen_gpus.all.push_back(one);
}

// What stands for one GPU or instance.
void add(const std::vector<gpu>& from, const gpu& one, const quantity& quantity, chosen_gpus& to) {
    if (!quantity.of_instance) return add_once(whole_gpu(from, one.index), to);
    if (!one.in_mig_mode) return add_once(&one, to);
    for (const gpu& other : from) {
        if (other.index == one.index && other.instance) add_once(&other, to);
    }
}

}  // namespace

gpu_list list_gpus(const calls& calls) {
    gpu_list out;
    unsigned count = 0;
    out.said = calls.count(&count);
    if (out.said != ok) return out;
    for (unsigned index = 0; index < count; ++index) {
        gpu one;
        one.index = index;
        one.problem = calls.by_index(index, &one.handle);
        if (one.problem == ok) {
            one.whole = one.handle;
            one.uuid = text_of(calls.uuid, one.handle);
            one.name = text_of(calls.name, one.handle);
            one.in_mig_mode = is_in_mig_mode(calls, one.handle);
        }
        out.all.push_back(one);
        if (one.in_mig_mode) add_instances(calls, one, out.all);
    }
    return out;
}

std::optional<wanted_gpu> parse_wanted(std::string_view text) {
    wanted_gpu out;
    out.text = text;
    if (starts_with_ignoring_case(text, "GPU-") || starts_with_ignoring_case(text, "MIG-") || is_bare_uuid(text)) {
        out.uuid = text;
        return out;
    }
    const std::size_t colon = text.find(':');
    out.index = small_number(text.substr(0, colon));
    if (colon != std::string_view::npos) out.instance = small_number(text.substr(colon + 1));
    if (!out.index || (colon != std::string_view::npos && !out.instance)) return std::nullopt;
    return out;
}

chosen_gpus choose(const std::vector<gpu>& gpus, const std::vector<wanted_gpu>& wanted, const quantity& quantity) {
    chosen_gpus out;
    if (wanted.empty()) {
        for (const gpu& one : gpus) {
            if (!one.instance) add(gpus, one, quantity, out);
        }
        return out;
    }
    for (const wanted_gpu& one : wanted) {
        const auto at = std::find_if(gpus.begin(), gpus.end(), [&one](const gpu& here) { return fits(here, one); });
        if (at == gpus.end()) {
            out.missing.push_back(one.text);
        } else {
            add(gpus, *at, quantity, out);
        }
    }
    return out;
}

std::string shown(const gpu& one) {
    const std::string index = std::to_string(one.index);
    std::string out = one.instance ? format_text("MIG instance {}:{}", index, *one.instance) : "GPU " + index;
    if (!one.uuid.empty()) out += format_text(" ({})", one.uuid);
    return out;
}

}  // namespace gputide::source::nvml
