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

// Ends the unreadable state of an object that was read or is gone.
bool watched_objects::end_unreadable(const object_key& key, kept& object) {
    if (object.why.empty()) return false;
    if (object.is_logged)
        runtime::log(runtime::log_level::warning, format_text("{} is no longer left out", name_of(resource_, key)));
    object.why.clear();
    object.is_logged = false;
    --unreadable_;
    return true;
}

void watched_objects::seen(simdjson::dom::object object) {
    object_facts facts = read_facts(object);
    const auto known = objects_.find(facts.key);
    if (known != objects_.end()) {
        end_unreadable(known->first, known->second);
        if (known->second.value != nullptr && known->second.version == facts.resource_version) {
            known->second.generation = generation_;
            return;
        }
    }
    std::shared_ptr<const void> value = read_(object);  // first, because it may run out of memory
    kept& object_kept = objects_[facts.key];
    object_kept.generation = generation_;
    if (object_kept.value == nullptr) ++readable_;
    object_kept.value = std::move(value);
    changed_(facts.key);
    // Last: if changed_() runs out of memory, the object is taken again when it is seen again.
    object_kept.version = std::move(facts.resource_version);
}

void watched_objects::unreadable(const unreadable_object& object) {
    kept& entry = objects_[object.key];
    entry.generation = generation_;
    const bool is_new = entry.why.empty();
    entry.why = object.why;
    if (!is_new) return;
    if (++unreadable_ <= max_logged) {
        entry.is_logged = true;
        runtime::log(runtime::log_level::warning,
                     format_text("{} is left out: {}{}", name_of(resource_, object.key), object.why,
                                 entry.value != nullptr ? "; its last readable state stays in use" : ""));
    }
    changed_(object.key);
}

void watched_objects::gone(const object_key& key) {
    const auto at = objects_.find(key);
    if (at == objects_.end()) return;
    end_unreadable(key, at->second);
    if (at->second.value != nullptr) --readable_;
    objects_.erase(at);
    changed_(key);
}

// Removes objects that the list did not contain.  Removes no readable one if an object's name was unreadable, because it could be
// any of them.
void watched_objects::listed() {
    const auto nameless = objects_.find({});
    const bool keeps =
        nameless != objects_.end() && !nameless->second.why.empty() && nameless->second.generation == generation_;
    for (auto at = objects_.begin(); at != objects_.end();) {
        const auto here = at++;
        const object_key key = here->first;
        if (here->second.generation == generation_) continue;
        if (!keeps || here->second.value == nullptr) {
            gone(key);
        } else if (end_unreadable(key, here->second)) {
            changed_(key);
        }
    }
}

const void* watched_objects::find(const object_key& key) const {
    const auto found = objects_.find(key);
    return found == objects_.end() ? nullptr : found->second.value.get();
}

bool watched_objects::any(function_ref<bool(const object_key&, const void*)> test) const {
    return std::ranges::any_of(objects_, [&](const auto& each) {
        return each.second.value != nullptr && test(each.first, each.second.value.get());
    });
}

std::string watched_objects::unreadable_reason(const object_key& key) const {
    const auto at = objects_.find(key);
    return at == objects_.end() ? std::string() : at->second.why;
}

std::string watched_objects::first_unknown_in(const std::string& name_space) const {
    if (unreadable_ == 0) return {};
    for (auto at = objects_.lower_bound({name_space, {}}); at != objects_.end() && at->first.name_space == name_space;
         ++at) {
        if (at->second.value == nullptr && !at->second.why.empty() && !at->first.name.empty())
            return format_text("{} cannot be read: {}", name_of(resource_, at->first), at->second.why);
    }
    return {};
}

void watched_objects::describe(json_writer& out) const {
    out.member("unreadable", unreadable_).key("unreadable_objects").begin_array();
    std::size_t described = 0;
    for (const auto& [name, object] : objects_) {
        if (described == std::min(unreadable_, max_described)) break;
        if (object.why.empty()) continue;
        ++described;
        out.begin_object().member("namespace", name.name_space).member("name", name.name);
        out.member("message", object.why).end_object();
    }
    out.end_array();
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
    return here != nullptr ? here->objects->unreadable_reason(key) : std::string();
}

std::string object_store::unknown_in(const std::string& name_space) const {
    const part* here = part_of(name_space);
    return here != nullptr ? here->objects->first_unknown_in(name_space) : std::string();
}

const watch_health* object_store::health(const std::string& name_space) const {
    const part* here = part_of(name_space);
    return here != nullptr ? &here->watcher->health() : nullptr;
}

void object_store::each_watch(watch_visitor use) const {
    for (const auto& [name, watched] : parts_) use(*watched.watcher, *watched.objects);
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
