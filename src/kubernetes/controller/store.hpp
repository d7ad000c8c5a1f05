// A store of objects of a kind, filled by watches (an informer in Kubernetes' terms), and the queue of names to reconcile.  A store
// has a part per watched namespace, or one part for all namespaces.
#pragma once

#include "base/callback.hpp"
#include "base/function_ref.hpp"
#include "base/json_writer.hpp"
#include "http/loop.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/watch/list.hpp"
#include "kubernetes/watch/watcher.hpp"

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

// The objects of a watch.  Only the reader and store<Value> know their type, so this is compiled once for all types.  An unreadable
// object keeps its last readable state, so its scaler continues; each write compares it with the cluster's state first.  Logs when an
// object becomes unreadable and when it becomes readable again.
class watched_objects final : public watch_sink {
  public:
    using reader = std::function<std::shared_ptr<const void>(simdjson::dom::object)>;
    using listener = std::function<void(const object_key&)>;

    watched_objects(std::string resource, reader read, listener changed)
        : resource_(std::move(resource)), read_(std::move(read)), changed_(std::move(changed)) {}

    void listing() override { ++generation_; }
    void seen(simdjson::dom::object object) override;
    void unreadable(const unreadable_object& object) override;
    void gone(const object_key& key) override;
    void listed() override;

    // null: not there, or never readable; valid until the object is seen again or removed
    const void* find(const object_key& key) const;
    bool any(function_ref<bool(const object_key&, const void*)> test) const;
    std::size_t size() const { return readable_; }
    std::size_t unreadable_count() const { return unreadable_; }
    std::string unreadable_reason(const object_key& key) const;  // "": the object was read or does not exist
    // Returns the first object of the namespace that was never readable: "deployments ml/llm cannot be read: ..."; "": none.
    std::string first_unknown_in(const std::string& name_space) const;
    void describe(json_writer& out) const;  // writes the members unreadable and unreadable_objects

  private:
    struct kept {
        std::shared_ptr<const void> value;  // null: never readable
        std::string version;
        std::uint64_t generation = 0;  // number of the list in or after which it was seen
        std::string why;               // why it is unreadable; "": it is readable
        bool is_logged = false;        // that it is unreadable
    };
    bool end_unreadable(const object_key& key, kept& object);  // true: it was unreadable

    const std::string resource_;
    const reader read_;
    const listener changed_;
    std::map<object_key, kept> objects_;
    std::size_t readable_ = 0;    // with a value
    std::size_t unreadable_ = 0;  // with a reason; some have a value of before
    std::uint64_t generation_ = 0;
};

using watch_visitor = function_ref<void(const watcher&, const watched_objects&)>;

class object_store {
  public:
    object_store(watched_objects::reader read, watched_objects::listener changed)
        : read_(std::move(read)), changed_(std::move(changed)) {}

    // Starts a watch. name_space "": all namespaces.  Does nothing if the namespace is already watched.
    void watch(const std::shared_ptr<api>& api, const endpoint& endpoint, const std::string& name_space,
               const std::string& other_version = {});
    void stop();

    // Tells whether a missing object is known not to exist.
    bool is_known(const std::string& name_space) const;
    // Returns why an object cannot be read; "": it was read or does not exist.
    std::string unreadable_reason(const object_key& key) const;
    // Returns an object of the namespace that was never readable, with the reason; "": none.
    std::string unknown_in(const std::string& name_space) const;
    // Returns the health of the namespace's watch; null if it is not watched.
    const watch_health* health(const std::string& name_space) const;
    void each_watch(watch_visitor use) const;

  protected:
    const void* find_object(const object_key& key) const;
    bool any_object(function_ref<bool(const object_key&, const void*)> test) const;

  private:
    struct part {
        std::unique_ptr<watched_objects> objects;
        std::shared_ptr<kubernetes::watcher> watcher;  // destroyed first, because it uses `objects`
    };

    const part* part_of(const std::string& name_space) const;

    const watched_objects::reader read_;
    const watched_objects::listener changed_;
    std::map<std::string, part> parts_;
};

template <class Value>
class store final : public object_store {
  public:
    // read: Value(simdjson::dom::object).
    template <class Read>
    store(Read read, watched_objects::listener changed)
        : object_store([read](simdjson::dom::object object) { return std::make_shared<const Value>(read(object)); },
                       std::move(changed)) {}

    // Valid until the object is seen again or removed.
    const Value* find(const object_key& key) const { return static_cast<const Value*>(find_object(key)); }
    void each(function_ref<void(const object_key&, const Value&)> use) const {
        any_object([use](const object_key& key, const void* value) {
            use(key, *static_cast<const Value*>(value));
            return false;
        });
    }
    bool any(function_ref<bool(const Value&)> test) const {
        return any_object(
            [test](const object_key&, const void* value) { return test(*static_cast<const Value*>(value)); });
    }
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
    work_queue(std::shared_ptr<http::loop> loop, callback<void(std::set<key>&)> add_all,
               callback<void(const key&)> take)
        : loop_(std::move(loop)), add_all_(std::move(add_all)), take_(std::move(take)) {}

    void add(const key& name);
    void add_all();
    void resume();  // every second: continues after a failed allocation
    void stop();

  private:
    void take_soon();
    void take();

    const std::shared_ptr<http::loop> loop_;
    const callback<void(std::set<key>&)> add_all_;
    const callback<void(const key&)> take_;
    std::set<key> names_;
    http::ticket turn_ = 0;
    bool is_all_ = false, is_stopped_ = false;
};

}  // namespace gputide::kubernetes
