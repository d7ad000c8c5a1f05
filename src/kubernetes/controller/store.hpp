// A store of objects of a kind, filled by watches (an informer in Kubernetes' terms), and the queue of names to reconcile.  A store
// has a part per watched namespace, or one part for all namespaces.
#pragma once

#include "base/json_writer.hpp"
#include "http/loop.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/watch/list.hpp"
#include "kubernetes/watch/watcher.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gputide::kubernetes {

// The unreadable objects of a watch by name.  Logs when an object becomes unreadable and when it becomes readable again.
class unreadable_objects {
  public:
    using key = object_key;

    explicit unreadable_objects(std::string resource) : resource_(std::move(resource)) {}

    // generation: number of the last list that started.  has_state: an earlier state of the object is kept.  Returns true if the
    // object was readable before.
    bool add(const unreadable_object& object, std::uint64_t generation, bool has_state);
    // Removes an object that was read or deleted. Returns true if it was unreadable.
    bool remove(const key& name);
    std::vector<key> older_than(std::uint64_t generation) const;  // objects missing in the list of this generation

    std::size_t size() const { return objects_.size(); }
    bool has_nameless() const { return objects_.contains(key()); }
    std::string reason(const key& name) const;  // reason for being unreadable; "": readable
    // Returns the first object of the namespace that was never readable: "deployments ml/llm cannot be read: ..."; "": none.
    std::string first_unknown_in(const std::string& name_space) const;
    void describe(json_writer& out) const;  // writes the members unreadable and unreadable_objects

  private:
    struct kept {
        std::string why;
        std::uint64_t generation = 0;
        bool has_state = false;
        bool is_logged = false;
    };
    void log_end(const key& name, const kept& object) const;

    const std::string resource_;
    std::map<key, kept> objects_;
};

// The objects of a watch.  An unreadable object keeps its last readable state, so
// its scaler continues; each write compares it with the cluster's state first.
template <class Value>
class store_part final : public watch_sink {
  public:
    using reader = std::function<Value(simdjson::dom::object)>;
    using listener = std::function<void(const object_key&)>;

    store_part(std::string resource, reader read, listener changed)
        : read_(std::move(read)), changed_(std::move(changed)), unreadable_(std::move(resource)) {}

    void listing() override { ++generation_; }
    void seen(simdjson::dom::object object) override {
        object_facts facts = read_facts(object);
        unreadable_.remove(facts.key);
        const auto known = objects_.find(facts.key);
        const bool is_same = known != objects_.end() && known->second.version == facts.resource_version;
        if (is_same) {
            known->second.generation = generation_;
            return;
        }
        Value value = read_(object);  // first, because it may run out of memory
        kept& object_kept = objects_[facts.key];
        object_kept.generation = generation_;
        object_kept.value = std::move(value);
        changed_(facts.key);
        // Last: if changed_() runs out of memory, the object is taken again when it is seen again.
        object_kept.version = std::move(facts.resource_version);
    }
    void unreadable(const unreadable_object& object) override {
        const auto known = objects_.find(object.key);
        if (known != objects_.end()) known->second.generation = generation_;
        if (unreadable_.add(object, generation_, known != objects_.end())) changed_(object.key);
    }
    void gone(const object_key& key) override {
        const bool was_unreadable = unreadable_.remove(key);
        if (objects_.erase(key) > 0 || was_unreadable) changed_(key);
    }
    // Removes objects that the list did not contain.  Removes none if an object's name was unreadable, because it could be any of
    // them.
    void listed() override {
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

    const Value* find(const object_key& key) const {
        const auto found = objects_.find(key);
        return found == objects_.end() ? nullptr : &found->second.value;
    }
    template <class Use>
    void each(Use use) const {
        for (const auto& [key, object] : objects_) use(key, object.value);
    }
    template <class Test>
    bool any(Test test) const {
        return std::any_of(objects_.begin(), objects_.end(), [&](const auto& each) { return test(each.second.value); });
    }
    std::size_t size() const { return objects_.size(); }
    const unreadable_objects& unreadable() const { return unreadable_; }

  private:
    struct kept {
        Value value;
        std::string version;
        std::uint64_t generation = 0;  // number of the list in or after which it was seen
    };

    const reader read_;
    const listener changed_;
    std::map<object_key, kept> objects_;
    unreadable_objects unreadable_;
    std::uint64_t generation_ = 0;
};

template <class Value>
class store {
  public:
    store(typename store_part<Value>::reader read, typename store_part<Value>::listener changed)
        : read_(std::move(read)), changed_(std::move(changed)) {}

    // Starts a watch. name_space "": all namespaces.  Does nothing if the namespace is already watched.
    void watch(const std::shared_ptr<const api>& api, const endpoint& endpoint, const std::string& name_space,
               const std::string& other_version = {}) {
        if (parts_.find(name_space) != parts_.end()) return;
        part fresh;  // complete before it is added, because an allocation may fail
        fresh.objects = std::make_unique<store_part<Value>>(endpoint.resource, read_, changed_);
        fresh.watcher = std::make_shared<watcher>(api, endpoint, *fresh.objects, other_version);
        const auto place = parts_.emplace(name_space, std::move(fresh)).first;
        place->second.watcher->start();
    }
    void stop() {
        for (auto& [name, watched] : parts_) watched.watcher->stop();
    }

    const Value* find(const object_key& key) const {
        const part* here = part_of(key.name_space);
        return here != nullptr ? here->objects->find(key) : nullptr;
    }
    // Tells whether a missing object is known not to exist.
    bool is_known(const std::string& name_space) const {
        const part* here = part_of(name_space);
        return here != nullptr && here->watcher->health().is_known;
    }
    // Returns why an object cannot be read; "": it was read or does not exist.
    std::string unreadable_reason(const object_key& key) const {
        const part* here = part_of(key.name_space);
        return here != nullptr ? here->objects->unreadable().reason(key) : std::string();
    }
    // Returns an object of the namespace that was never readable, with the reason; "": none.
    std::string unknown_in(const std::string& name_space) const {
        const part* here = part_of(name_space);
        return here != nullptr ? here->objects->unreadable().first_unknown_in(name_space) : std::string();
    }
    // Returns the health of the namespace's watch; null if it is not watched.
    const watch_health* health(const std::string& name_space) const {
        const part* here = part_of(name_space);
        return here != nullptr ? &here->watcher->health() : nullptr;
    }
    template <class Use>
    void each(Use use) const {
        for (const auto& [name, watched] : parts_) watched.objects->each(use);
    }
    template <class Test>
    bool any(Test test) const {
        return std::any_of(parts_.begin(), parts_.end(),
                           [&](const auto& each) { return each.second.objects->any(test); });
    }
    template <class Use>
    void each_watch(Use use) const {
        for (const auto& [name, watched] : parts_)
            use(*watched.watcher, watched.objects->size(), watched.objects->unreadable());
    }

  private:
    struct part {
        std::unique_ptr<store_part<Value>> objects;
        std::shared_ptr<kubernetes::watcher> watcher;  // destroyed first, because it uses `objects`
    };

    const part* part_of(const std::string& name_space) const {
        const auto all = parts_.find("");
        const auto found = all != parts_.end() ? all : parts_.find(name_space);
        return found == parts_.end() ? nullptr : &found->second;
    }

    const typename store_part<Value>::reader read_;
    const typename store_part<Value>::listener changed_;
    std::map<std::string, part> parts_;
};

// A queue of object names to reconcile, without repeats.

// Calls `take` for each key.  Keys that are added meanwhile stay for the next time.  If take() runs out of memory, its key and
// the remaining keys stay.
template <class Key, class Take>
void take_each(std::set<Key>& queued, const Take& take) {
    struct turn {
        std::set<Key>& queued;
        std::set<Key> left;
        ~turn() { queued.merge(left); }
    } turn{queued, {}};
    turn.left.swap(queued);
    while (!turn.left.empty()) {
        take(*turn.left.begin());
        turn.left.erase(turn.left.begin());
    }
}

// Postpones changes, which arrive inside a transfer, to a later iteration of the loop.  Runs on the loop's thread.
class work_queue : public std::enable_shared_from_this<work_queue> {
  public:
    using key = object_key;

    // add_all: adds the keys of all objects.  Neither function is called after stop() or the queue's end.
    work_queue(std::shared_ptr<http::loop> loop, std::function<void(std::set<key>&)> add_all,
               std::function<void(const key&)> take)
        : loop_(std::move(loop)), add_all_(std::move(add_all)), take_(std::move(take)) {}

    void add(const key& name);
    void add_all();
    void resume();  // every second: continues after a failed allocation
    void stop();

  private:
    void take_soon();
    void take();

    const std::shared_ptr<http::loop> loop_;
    const std::function<void(std::set<key>&)> add_all_;
    const std::function<void(const key&)> take_;
    std::set<key> names_;
    http::ticket turn_ = 0;
    bool is_all_ = false, is_stopped_ = false;
};

}  // namespace gputide::kubernetes
