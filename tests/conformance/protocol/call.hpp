// One call of protocol 1 on its way to one C function: its arguments, the handles that earlier calls of the case opened, its
// result.  A call that cannot be made at all (an argument of the wrong kind) throws std::invalid_argument.
#pragma once

#include "protocol/structs.hpp"

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

namespace conformance {

// The handles that the calls of one case have opened, by the names that they gave it ("as").
class opened_things {
  public:
    struct handle {
        std::type_index type;
        std::shared_ptr<void> pointer;  // its deleter is the C function that frees it
    };

    void keep(const std::string& name, handle opened);
    const handle* find(const std::string& name) const;
    bool has(const std::string& name) const;
    void close(std::string_view order);  // forward, reverse; collect: in no order of ours
    std::size_t alive() const { return *alive_; }

    // Counts a handle for as long as its pointer lives.
    template <class T>
    handle counted(T* opened, void (*release)(T*)) {
        ++*alive_;
        return {typeid(T*), std::shared_ptr<void>(opened, [alive = alive_, release](void* pointer) {
                    release(static_cast<T*>(pointer));
                    --*alive;
                })};
    }

    std::map<std::string, gputide_decision> decisions;
    std::map<std::string, gputide_floor> floors;
    std::map<std::string, std::string> policy_of_state;

  private:
    std::shared_ptr<std::size_t> alive_ = std::make_shared<std::size_t>(0);
    std::vector<std::pair<std::string, handle>> handles_;  // in the order in which they were opened
};

class call {
  public:
    call(const json& arguments, opened_things& opened) : arguments_(arguments), opened_(opened) {}

    // ---- arguments: what is absent is "", 0, NULL
    bool has(const char* name) const { return arguments_.contains(name); }
    const json& object(const char* name) const;
    std::string text(const char* name) const { return has(name) ? text_in(arguments_.at(name)) : std::string(); }
    bool flag(const char* name) const { return has(name) && arguments_.at(name) == true; }
    std::int64_t integer(const char* name) const { return has(name) ? integer_in(arguments_.at(name)) : 0; }
    std::int32_t int32(const char* name) const { return static_cast<std::int32_t>(integer(name)); }
    std::uint64_t uint64(const char* name) const { return has(name) ? unsigned_in(arguments_.at(name)) : 0; }
    std::uint32_t uint32(const char* name) const { return static_cast<std::uint32_t>(integer(name)); }
    std::string name(const char* role) const;  // of a handle or a decision
    const gputide_options* options();
    const gputide_policy* policy();  // the one named, or the state's own

    template <class T>
    T* handle(const char* role) const {
        const opened_things::handle* const found = opened_.find(name(role));
        if (found == nullptr) return nullptr;
        if (found->type != typeid(std::remove_const_t<T>*))
            throw std::invalid_argument(std::string(role) + ": a handle of another type");
        return static_cast<T*>(found->pointer.get());
    }

    gputide_decision& named_decision() { return opened_.decisions.at(name("decision")); }

    opened_things& opened() { return opened_; }

    // ---- the C function, and its result
    // function(arguments..., &err); a failure becomes the result's error.
    template <class Function, class... Arguments>
    bool works(Function function, Arguments... arguments) {
        auto err = sized<gputide_error>();
        if (function(arguments..., &err) == GPUTIDE_OK) return true;
        result["error"] = error_json(err);
        return false;
    }

    // function(arguments..., &handle, &err)
    template <class T, class Function, class... Arguments>
    bool opens(void (*release)(T*), Function function, Arguments... arguments) {
        T* made = nullptr;
        if (!works(function, arguments..., &made)) return false;
        opened_.keep(name("as"), opened_.counted(made, release));
        return true;
    }

    // function(arguments..., &text, &err), its text as that member of the result
    template <class Function, class... Arguments>
    void gives_text(const char* member, Function function, Arguments... arguments) {
        gputide_text text{nullptr, 0};
        if (works(function, arguments..., &text)) put_text(member, text);
        gputide_text_free(&text);
    }

    void put_text(const char* member, const gputide_text& text);

    // As the result's decision; by its name, where the call gives one, for a record.
    void keep_decision(const gputide_decision& decision);

    json result = json::object();

  private:
    const json& arguments_;
    opened_things& opened_;
    std::unique_ptr<owned_options> options_;
};

// A C function as protocol 1 calls it: its name without gputide_, the first underscore a dot.
struct call_entry {
    std::string_view name;
    std::vector<const char*> handles;  // the arguments that name what an earlier call opened
    void (*run)(call& current);
};

// One table per group of sections of gputide.h.
std::vector<call_entry> library_calls();
std::vector<call_entry> source_calls();
std::vector<call_entry> runtime_calls();
std::vector<call_entry> plan_calls();

}  // namespace conformance

// Protocol 1 over gputide.h: the calls of a case in, their results out.  The one place where calls become C functions, for the
// runner's own process and for the program gputide_protocol alike.

namespace conformance {

class executor {
  public:
    executor();

    // {"protocol":1,"binding":"c","version":…,"abi":…,"library":…,"calls":[…]}
    json hello() const;

    // {"case":…,"calls":[…],"close":"reverse"} → {"case":…,"results":[…],"alive":0}; where a call is unknown or cannot be made,
    // {"case":…,"fault":"…","results":[those before it],"alive":0}.
    json answer(const json& line) const;

  private:
    json result_of(const json& object, opened_things& opened) const;

    std::map<std::string_view, call_entry> entries_;
};

}  // namespace conformance
