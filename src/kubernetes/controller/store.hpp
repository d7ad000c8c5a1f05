// A store of one kind of object, filled by watches: a part per watched namespace, or one part for all (an informer in Kubernetes'
// terms).
#pragma once

#include "base/json_writer.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/watch/list.hpp"
#include "kubernetes/watch/watcher.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gputide::kubernetes {

// The objects of one watch that cannot be read: kept by name, counted, and logged when that begins and when it ends.
class unreadable_objects {
  public:
    using key = object_key;

    explicit unreadable_objects(std::string resource) : resource_(std::move(resource)) {}

    // generation: of the list in which the object was seen, or after which.  has_state: an earlier state of it is kept.  Returns
    // whether the object could be read until now.
    bool add(const unreadable_object& object, std::uint64_t generation, bool has_state);
    bool remove(const key& name);  // it was read, or is gone; returns whether it was here
    std::vector<key> older_than(std::uint64_t generation) const;  // not seen in the list of that generation

    std::size_t size() const { return objects_.size(); }
    bool has_nameless() const { return objects_.contains(key()); }
    std::string reason(const key& name) const;  // why it cannot be read; "": it can
    // Returns the first one of a namespace of which no state is kept, "deployments ml/llm cannot be read: ..."; "": none.
    std::string first_unknown_in(const std::string& name_space) const;
    void describe(json_writer& out) const;  // members unreadable and unreadable_objects

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

// The objects of one watch.  Value: with facts, or a resource_version of its own.  An object that cannot be read keeps the
// state that was read last: its scaler goes on, and what is written is compared with the cluster's own state first.
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
        Value value = read_(object);  // before anything is kept: it may find no memory
        kept& object_kept = objects_[facts.key];
        object_kept.generation = generation_;
        object_kept.value = std::move(value);
        changed_(facts.key);
        // Only now: what found no memory on the way is taken when it comes again.
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
    // An object without a readable name may be any of those that were not seen.
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
        std::uint64_t generation = 0;  // of the list that it was seen in, or after
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

    // name_space "": of all namespaces.  A part that is there already stays as it is.
    void watch(const std::shared_ptr<const api>& api, const endpoint& endpoint, const std::string& name_space,
               const std::string& other_version = {}) {
        if (parts_.find(name_space) != parts_.end()) return;
        part fresh;  // goes in whole, also where memory ends
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
    // Returns whether an object that is not found does not exist; else that is unknown.
    bool is_known(const std::string& name_space) const {
        const part* here = part_of(name_space);
        return here != nullptr && here->watcher->health().is_known;
    }
    // Returns why an object that may be there cannot be read; "": it was read, or is not there.
    std::string unreadable_reason(const object_key& key) const {
        const part* here = part_of(key.name_space);
        return here != nullptr ? here->objects->unreadable().reason(key) : std::string();
    }
    // Returns which object of the namespace is there in a state that was never read, and why; "": none.
    std::string unknown_in(const std::string& name_space) const {
        const part* here = part_of(name_space);
        return here != nullptr ? here->objects->unreadable().first_unknown_in(name_space) : std::string();
    }
    // Returns the health of the namespace's watch; null: it is not watched.
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
        std::shared_ptr<kubernetes::watcher> watcher;  // destroyed first: it speaks to the store
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

}  // namespace gputide::kubernetes
