// The objects of one watch that cannot be read: kept by name, counted, and said in the log when that begins and when it ends.
#pragma once

#include "base/json_writer.hpp"
#include "kubernetes/watch/item.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gputide::kubernetes {

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

}  // namespace gputide::kubernetes
