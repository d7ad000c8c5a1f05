#include "kubernetes/controller/store.hpp"

#include "base/format_text.hpp"
#include "runtime/log.hpp"

#include <string_view>
#include <utility>

namespace gputide::kubernetes {

namespace {

constexpr std::size_t max_logged = 100;  // at a time, because a tenant may create any number
constexpr std::size_t max_described = 100;

std::string name_of(std::string_view resource, const object_key& name) {
    if (name.name.empty()) return format_text("{}: an object without a readable name", resource);
    return format_text("{} {}", resource, name.name_space.empty() ? name.name : name.text());
}

}  // namespace

bool unreadable_objects::add(const unreadable_object& object, std::uint64_t generation, bool has_state) {
    const auto [at, is_new] = objects_.try_emplace(object.key);
    kept& entry = at->second;
    entry.why = object.why;
    entry.generation = generation;
    entry.has_state = has_state;
    if (is_new && objects_.size() <= max_logged) {
        entry.is_logged = true;
        runtime::log(runtime::log_level::warning,
                     format_text("{} is left out: {}{}", name_of(resource_, object.key), object.why,
                                 has_state ? "; its last readable state stays in use" : ""));
    }
    return is_new;
}

bool unreadable_objects::remove(const key& name) {
    const auto at = objects_.find(name);
    if (at == objects_.end()) return false;
    log_end(name, at->second);
    objects_.erase(at);
    return true;
}

std::vector<unreadable_objects::key> unreadable_objects::older_than(std::uint64_t generation) const {
    std::vector<key> out;
    for (const auto& [name, object] : objects_) {
        if (object.generation < generation) out.push_back(name);
    }
    return out;
}

void unreadable_objects::log_end(const key& name, const kept& object) const {
    if (object.is_logged)
        runtime::log(runtime::log_level::warning, format_text("{} is no longer left out", name_of(resource_, name)));
}

std::string unreadable_objects::reason(const key& name) const {
    const auto at = objects_.find(name);
    return at == objects_.end() ? std::string() : at->second.why;
}

std::string unreadable_objects::first_unknown_in(const std::string& name_space) const {
    for (auto at = objects_.lower_bound({name_space, {}}); at != objects_.end() && at->first.name_space == name_space;
         ++at) {
        if (!at->second.has_state && !at->first.name.empty())
            return format_text("{} cannot be read: {}", name_of(resource_, at->first), at->second.why);
    }
    return {};
}

void unreadable_objects::describe(json_writer& out) const {
    out.member("unreadable", objects_.size()).key("unreadable_objects").begin_array();
    std::size_t described = 0;
    for (const auto& [name, object] : objects_) {
        if (++described > max_described) break;
        out.begin_object().member("namespace", name.name_space).member("name", name.name);
        out.member("message", object.why).end_object();
    }
    out.end_array();
}

void work_queue::add(const key& name) {
    names_.insert(name);
    take_soon();
}

void work_queue::add_all() {
    is_all_ = true;
    take_soon();
}

void work_queue::resume() {
    if (is_all_ || !names_.empty()) take_soon();
}

void work_queue::stop() {
    is_stopped_ = true;
    loop_->cancel(std::exchange(turn_, 0));
}

void work_queue::take_soon() {
    if (turn_ != 0 || is_stopped_) return;
    turn_ = loop_->after(0, [self = weak_from_this()] {
        if (const auto here = self.lock()) here->take();
    });
}

void work_queue::take() {
    turn_ = 0;
    if (is_all_) add_all_(names_);
    is_all_ = false;
    take_each(names_, take_);
}

}  // namespace gputide::kubernetes
