#include "fake.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace gputide::testing {
namespace {

using source::nvml::busy_percent;
using source::nvml::code;
using source::nvml::device;
using source::nvml::memory_bytes;
using source::nvml::memory_bytes_2;

fake_nvml* now = nullptr;

bool is_known(const fake_gpu* one) {
    for (const auto& gpu : now->gpus) {
        if (gpu.get() == one) return true;
        for (const auto& [position, instance] : gpu->instances) {
            if (instance.get() == one) return true;
        }
    }
    return false;
}

bool is_open() { return now->inits > now->shutdowns; }

// Null: the handle is none, or of something that is gone.
fake_gpu* known(device handle, const char* call) {
    EXPECT_TRUE(is_open()) << call << " without nvmlInit";
    auto* out = reinterpret_cast<fake_gpu*>(handle);
    if (!is_known(out)) return nullptr;
    if (std::strcmp(call, "uuid") != 0 && std::strcmp(call, "name") != 0)
        now->asked.push_back(call + (" " + out->uuid));
    return out;
}

device handle_of(const std::unique_ptr<fake_gpu>& of) { return reinterpret_cast<device>(of.get()); }

code init() {
    if (now->init_says == 0) ++now->inits;
    return now->init_says;
}

code shutdown() {
    EXPECT_TRUE(is_open()) << "nvmlShutdown without nvmlInit";
    ++now->shutdowns;
    return 0;
}

const char* error_text(code said) { return said == 15 ? "GPU is lost" : "a text of NVML"; }

code count(unsigned* out) {
    if (!is_open()) return source::nvml::uninitialized;
    ++now->lists;
    *out = static_cast<unsigned>(now->gpus.size());
    return 0;
}

code by_index(unsigned index, device* out) {
    EXPECT_LT(index, now->gpus.size());
    if (now->gpus[index]->opens != 0) return now->gpus[index]->opens;
    *out = handle_of(now->gpus[index]);
    return 0;
}

code text(const std::string& from, char* to, unsigned size) {
    EXPECT_EQ(size, 96U);
    if (from.size() >= size) return 7;
    std::memcpy(to, from.c_str(), from.size() + 1);
    return 0;
}

code uuid(device of, char* to, unsigned size) {
    const fake_gpu* one = known(of, "uuid");
    return one == nullptr ? 2 : text(one->uuid, to, size);
}

code name(device of, char* to, unsigned size) {
    const fake_gpu* one = known(of, "name");
    return one == nullptr ? 2 : text(one->name, to, size);
}

code busy(device of, busy_percent* out) {
    if (now->before_busy) now->before_busy();
    const fake_gpu* one = known(of, "busy");
    if (one == nullptr) return 2;
    if (one->mig || one->is_instance) return source::nvml::not_supported;
    *out = {one->busy, one->copies};
    return one->says;
}

code memory(device of, memory_bytes* out) {
    const fake_gpu* one = known(of, "memory");
    if (one == nullptr) return 2;
    *out = {one->total, one->total - one->used - one->reserved, one->used + one->reserved};
    return one->says;
}

code memory_2(device of, memory_bytes_2* out) {
    const fake_gpu* one = known(of, "memory_2");
    if (one == nullptr) return 2;
    EXPECT_EQ(out->version, 0x02000028U);
    if (out->version != 0x02000028U) return 25;
    out->total = one->total;
    out->reserved = one->reserved;
    out->free = one->total - one->used - one->reserved;
    out->used = one->used;
    return one->says;
}

code temperature(device of, unsigned sensor, unsigned* out) {
    const fake_gpu* one = known(of, "temperature");
    if (one == nullptr) return 2;
    EXPECT_EQ(sensor, 0U);
    EXPECT_FALSE(one->is_instance);
    *out = one->celsius;
    return one->says;
}

code power(device of, unsigned* out) {
    const fake_gpu* one = known(of, "power");
    if (one == nullptr) return 2;
    EXPECT_FALSE(one->is_instance);
    *out = one->milliwatts;
    return one->says;
}

code mig_mode(device of, unsigned* current, unsigned* pending) {
    const auto* one = reinterpret_cast<const fake_gpu*>(of);
    *current = one->mig ? 1 : 0;
    *pending = *current;
    return 0;
}

code most_instances(device of, unsigned* out) {
    *out = reinterpret_cast<const fake_gpu*>(of)->mig ? 7 : 0;
    return 0;
}

code instance(device of, unsigned position, device* out) {
    const auto* one = reinterpret_cast<const fake_gpu*>(of);
    EXPECT_LT(position, 7U);
    const auto at = one->instances.find(position);
    if (at == one->instances.end()) return source::nvml::not_found;
    *out = handle_of(at->second);
    return 0;
}

code instance_id(device of, unsigned* out) {
    *out = reinterpret_cast<const fake_gpu*>(of)->instance_id;
    return 0;
}

}  // namespace

fake_gpu& fake_nvml::add(const std::string& with_uuid) {
    gpus.push_back(std::make_unique<fake_gpu>());
    gpus.back()->uuid = with_uuid;
    return *gpus.back();
}

fake_gpu& fake_nvml::add_instance(fake_gpu& to, unsigned position, const std::string& with_uuid, unsigned id) {
    to.mig = true;
    auto& slot = to.instances[position];
    slot = std::make_unique<fake_gpu>();
    slot->uuid = with_uuid;
    slot->instance_id = id;
    slot->is_instance = true;
    return *slot;
}

std::vector<std::string> fake_nvml::take_asked() { return std::exchange(asked, {}); }

result<source::nvml::library> load_fake(fake_nvml& from) {
    now = &from;
    ++from.loads;
    source::nvml::library out;
    out.calls = {&init, &shutdown, &error_text, &count, &by_index, &uuid, &name, &busy, &memory, &temperature, &power};
    if (from.has_memory_2) out.calls.memory_2 = &memory_2;
    if (from.has_mig) {
        out.calls.mig_mode = &mig_mode;
        out.calls.most_instances = &most_instances;
        out.calls.instance = &instance;
        out.calls.instance_id = &instance_id;
    }
    return out;
}

}  // namespace gputide::testing
