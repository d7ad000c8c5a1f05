#include "kubernetes/controller/store.hpp"

#include "base/format_text.hpp"
#include "runtime/log.hpp"

#include <algorithm>
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

void watched_objects::seen(simdjson::dom::object object) {
    object_facts facts = read_facts(object);
    unreadable_.remove(facts.key);
    const auto known = objects_.find(facts.key);
    const bool is_same = known != objects_.end() && known->second.version == facts.resource_version;
    if (is_same) {
        known->second.generation = generation_;
        return;
    }
    std::shared_ptr<const void> value = read_(object);  // first, because it may run out of memory
    kept& object_kept = objects_[facts.key];
    object_kept.generation = generation_;
    object_kept.value = std::move(value);
    changed_(facts.key);
    // Last: if changed_() runs out of memory, the object is taken again when it is seen again.
    object_kept.version = std::move(facts.resource_version);
}

void watched_objects::unreadable(const unreadable_object& object) {
    const auto known = objects_.find(object.key);
    if (known != objects_.end()) known->second.generation = generation_;
    if (unreadable_.add(object, generation_, known != objects_.end())) changed_(object.key);
}

void watched_objects::gone(const object_key& key) {
    const bool was_unreadable = unreadable_.remove(key);
    if (objects_.erase(key) > 0 || was_unreadable) changed_(key);
}

// Removes objects that the list did not contain.  Removes none if an object's name was unreadable, because it could be any of
// them.
void watched_objects::listed() {
    for (const object_key& key : unreadable_.older_than(generation_)) {
        unreadable_.remove(key);
        changed_(key);
    }
    if (unreadable_.has_nameless()) return;
    for (auto at = objects_.begin(); at != objects_.end();) {
        const object_key key = at->first;
        const bool stays = at->second.generation == generation_;
        ++at;
        if (!stays) gone(key);
    }
}

const void* watched_objects::find(const object_key& key) const {
    const auto found = objects_.find(key);
    return found == objects_.end() ? nullptr : found->second.value.get();
}

bool watched_objects::any(function_ref<bool(const object_key&, const void*)> test) const {
    return std::ranges::any_of(objects_, [&](const auto& each) { return test(each.first, each.second.value.get()); });
}

void object_store::watch(const std::shared_ptr<api>& api, const endpoint& endpoint, const std::string& name_space,
                         const std::string& other_version) {
    if (parts_.find(name_space) != parts_.end()) return;
    part fresh;  // complete before it is added, because an allocation may fail
    fresh.objects = std::make_unique<watched_objects>(endpoint.resource, read_, changed_);
    fresh.watcher = std::make_shared<watcher>(api, endpoint, *fresh.objects, other_version);
    const auto place = parts_.emplace(name_space, std::move(fresh)).first;
    place->second.watcher->start();
}

void object_store::stop() {
    for (auto& [name, watched] : parts_) watched.watcher->stop();
}

bool object_store::is_known(const std::string& name_space) const {
    const watch_health* its = health(name_space);
    return its != nullptr && its->is_known;
}

std::string object_store::unreadable_reason(const object_key& key) const {
    const part* here = part_of(key.name_space);
    return here != nullptr ? here->objects->unreadable().reason(key) : std::string();
}

std::string object_store::unknown_in(const std::string& name_space) const {
    const part* here = part_of(name_space);
    return here != nullptr ? here->objects->unreadable().first_unknown_in(name_space) : std::string();
}

const watch_health* object_store::health(const std::string& name_space) const {
    const part* here = part_of(name_space);
    return here != nullptr ? &here->watcher->health() : nullptr;
}

void object_store::each_watch(watch_visitor use) const {
    for (const auto& [name, watched] : parts_)
        use(*watched.watcher, watched.objects->size(), watched.objects->unreadable());
}

const void* object_store::find_object(const object_key& key) const {
    const part* here = part_of(key.name_space);
    return here != nullptr ? here->objects->find(key) : nullptr;
}

bool object_store::any_object(function_ref<bool(const object_key&, const void*)> test) const {
    return std::ranges::any_of(parts_, [&](const auto& each) { return each.second.objects->any(test); });
}

const object_store::part* object_store::part_of(const std::string& name_space) const {
    const auto all = parts_.find("");
    const auto found = all != parts_.end() ? all : parts_.find(name_space);
    return found == parts_.end() ? nullptr : &found->second;
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
    turn_ = loop_->after(0, while_alive(*this, [](work_queue& here) { here.take(); }));
}

void work_queue::take() {
    turn_ = 0;
    if (is_all_) add_all_(names_);
    is_all_ = false;
    take_each(names_, take_);
}

}  // namespace gputide::kubernetes
