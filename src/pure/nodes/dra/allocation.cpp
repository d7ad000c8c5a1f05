#include "base/saturate.hpp"
#include "nodes/dra/device.hpp"
#include "nodes/fit.hpp"

#include <algorithm>
#include <limits>

namespace gputide::nodes {

device_use use_of_devices(const node_shape& shape) {
    device_use out;
    out.set = shape.devices.get();
    if (out.set == nullptr) return out;
    out.held.assign(out.set->devices.size(), false);
    out.free = static_cast<std::uint32_t>(out.held.size());
    for (const device_counter& counter : out.set->counters) out.counters_left.push_back(counter.total);
    for (std::uint32_t i = 0; i < shape.devices_held.size(); ++i) {
        if (shape.devices_held[i]) set_held(out, i, true);
    }
    return out;
}

namespace {

void add_to_counters(device_use& use, std::uint32_t device, std::int64_t times) {
    for (const counter_use& counter : use.set->devices[device].counters)
        use.counters_left[counter.counter] += times * counter.amount;
}

}  // namespace

void set_held(device_use& use, std::uint32_t device, bool is_held) {
    if (use.held[device] == is_held) return;
    use.held[device] = is_held;
    is_held ? --use.free : ++use.free;
    ++use.changes;
    add_to_counters(use, device, is_held ? -1 : 1);
}

match device_matches::of(const exact_request& request, const device_set& set, std::uint32_t device) {
    std::vector<match>& known = known_[{&request, &set}];
    if (known.empty()) known.assign(set.devices.size(), match::unknown);
    match& out = known[device];
    if (out != match::unknown) return out;
    out = match::yes;
    for (const auto& selector : request.selectors) {
        out = selector->matches(set.devices[device].properties);
        if (out != match::yes) break;
    }
    return out;
}

namespace {

// One search.
class device_search {
  public:
    device_search(std::span<const device_claim* const> claims, device_use& use, device_matches& matches)
        : claims_(claims), use_(use), set_(*use.set), matches_(matches) {}

    allocation_result run() {
        allocation_result out;
        if (count_all() && satisfy({})) {
            for (const chosen_device& chosen : chosen_) {
                if (chosen.request->admin) {
                    add_to_counters(use_, chosen.device, 1);
                } else {
                    out.devices.push_back(chosen.device);
                }
            }
            return out;
        }
        out.outcome = outcome_;
        out.device_class = farthest_ != nullptr ? farthest_->device_class : std::string();
        return out;
    }

  private:
    // The next device to choose.
    struct place_of_search {
        std::uint32_t claim = 0;
        std::uint32_t request = 0;
        const exact_request* exact = nullptr;  // nullptr: an alternative of the request is to be chosen
        std::int64_t devices = 0;              // chosen for it
        std::uint32_t first = 0;               // device to try first
    };
    struct chosen_device {
        std::uint32_t claim = 0;
        const device_request* of = nullptr;
        const exact_request* request = nullptr;
        std::uint32_t device = 0;
    };

    bool is_stopped() const { return outcome_ != allocation::no_devices; }

    bool satisfy(const place_of_search& at) {
        if (at.claim >= claims_.size()) return true;
        const device_claim& claim = *claims_[at.claim];
        if (at.request >= claim.requests.size()) return satisfy({at.claim + 1});
        const device_request& request = claim.requests[at.request];
        if (at.exact != nullptr) return satisfy_exactly(at, request);
        for (const exact_request& alternative : request.alternatives) {
            if (satisfy({at.claim, at.request, &alternative})) return true;
            if (is_stopped()) break;
        }
        return false;
    }

    bool satisfy_exactly(const place_of_search& at, const device_request& request) {
        if (std::pair(at.claim, at.request) >= farthest_at_) {
            farthest_at_ = {at.claim, at.request};
            farthest_ = at.exact;
        }
        const std::int64_t wanted = at.exact->all ? counts_of_all_.at(at.exact) : at.exact->count;
        if (at.exact->all && wanted == 0) return false;
        if (at.devices == wanted) return satisfy({at.claim, at.request + 1});
        if (wanted - at.devices > max_devices_of_claim - count_chosen(at.claim)) return false;
        for (std::uint32_t i = at.first; i < set_.devices.size(); ++i) {
            if (++steps_ > max_allocation_steps) outcome_ = allocation::undecided;
            const bool may = may_take(at, i);
            const bool is_free = may && keeps_constraints(at.claim, request, *at.exact, i);
            if (may && !is_free && at.exact->all) outcome_ = allocation::claim_error;
            if (is_stopped()) return false;
            if (is_free) {
                take(at.claim, request, *at.exact, i);
                if (satisfy({at.claim, at.request, at.exact, at.devices + 1, i + 1})) return true;
                give_back();
                if (is_stopped()) return false;
            }
            // A device that all of them need.
            if (at.exact->all && matches_.of(*at.exact, set_, i) == match::yes) return false;
        }
        return false;
    }

    // Counts the devices that each `All` has to get, also that of an alternative that is not used: each can be an error.
    bool count_all() {
        for (const device_claim* const claim : claims_) {
            std::int64_t fewest = 0;
            for (const device_request& request : claim->requests) fewest = add_saturating(fewest, fewest_for(request));
            if (!is_stopped() && fewest > max_devices_of_claim) outcome_ = allocation::claim_error;
            if (is_stopped()) return false;
        }
        return true;
    }

    std::int64_t fewest_for(const device_request& request) {
        std::int64_t out = std::numeric_limits<std::int64_t>::max();
        for (const exact_request& exact : request.alternatives) {
            if (exact.all && !is_stopped()) counts_of_all_[&exact] = count_matching(exact);
            out = std::min(out, exact.all ? counts_of_all_[&exact] : exact.count);
        }
        return out;
    }

    std::int64_t count_matching(const exact_request& request) {
        farthest_ = &request;
        if (std::ranges::any_of(set_.pools, [](const device_pool& pool) { return !pool.complete; }))
            outcome_ = allocation::claim_error;
        std::int64_t out = 0;
        for (std::uint32_t i = 0; i < set_.devices.size() && !is_stopped(); ++i) {
            const match matched = matches_.of(request, set_, i);
            if (matched == match::error) outcome_ = allocation::selector_error;
            out += matched == match::yes ? 1 : 0;
        }
        return out;
    }

    std::int64_t count_chosen(std::uint32_t claim) const {
        return std::ranges::count_if(chosen_, [&](const chosen_device& chosen) { return chosen.claim == claim; });
    }

    // A held device is not looked at: its selectors cannot fail.
    bool may_take(const place_of_search& at, std::uint32_t number) {
        const device& device = set_.devices[number];
        const exact_request& request = *at.exact;
        if (!set_.pools[device.pool].complete) return false;
        if (!request.admin && use_.held[number]) return false;
        if (is_chosen(at, number)) return false;
        const match matched = matches_.of(request, set_, number);
        if (matched == match::error) outcome_ = allocation::selector_error;
        if (matched != match::yes) return false;
        const bool has_counters = std::ranges::all_of(device.counters, [&](const counter_use& counter) {
            return use_.counters_left[counter.counter] >= counter.amount;
        });
        return has_counters && first_untolerated(request.tolerations, device.taints) == nullptr;
    }

    // An administrator's choice of this pod counts, too, but not for an administrator of another claim.
    bool is_chosen(const place_of_search& at, std::uint32_t device) const {
        return std::ranges::any_of(chosen_, [&](const chosen_device& chosen) {
            return chosen.device == device && (chosen.claim == at.claim || !at.exact->admin);
        });
    }

    static bool covers(const device_constraint& constraint, const device_request& request, const exact_request& exact) {
        if (constraint.requests.empty()) return true;
        return std::ranges::any_of(constraint.requests, [&](const std::string& name) {
            return name == request.name || (!exact.name.empty() && name == request.name + "/" + exact.name);
        });
    }

    bool keeps_constraints(std::uint32_t claim, const device_request& request, const exact_request& exact,
                           std::uint32_t device) const {
        for (const device_constraint& constraint : claims_[claim]->constraints) {
            if (!covers(constraint, request, exact)) continue;
            const selector_value* const value = find_attribute(set_.devices[device].properties, constraint.attribute);
            if (value == nullptr) return false;
            for (const chosen_device& other : chosen_) {
                if (other.claim != claim || !covers(constraint, *other.of, *other.request)) continue;
                const selector_value& known =
                    *find_attribute(set_.devices[other.device].properties, constraint.attribute);
                if ((known == *value) == constraint.distinct) return false;
            }
        }
        return true;
    }

    void take(std::uint32_t claim, const device_request& of, const exact_request& request, std::uint32_t device) {
        chosen_.push_back({claim, &of, &request, device});
        count_last(true);
    }

    void give_back() {
        count_last(false);
        chosen_.pop_back();
    }

    void count_last(bool is_taken) {
        const chosen_device& last = chosen_.back();
        if (last.request->admin) {
            add_to_counters(use_, last.device, is_taken ? -1 : 1);  // of this pod only
        } else {
            set_held(use_, last.device, is_taken);
        }
    }

    std::span<const device_claim* const> claims_;
    device_use& use_;
    const device_set& set_;
    device_matches& matches_;
    std::vector<chosen_device> chosen_;
    std::map<const exact_request*, std::int64_t> counts_of_all_;
    allocation outcome_ = allocation::no_devices;
    std::int64_t steps_ = 0;
    std::pair<std::uint32_t, std::uint32_t> farthest_at_;
    const exact_request* farthest_ = nullptr;
};

// Returns the class of the first device; "" for a claim that requests none.
std::string class_of(const device_claim& claim) {
    for (const device_request& request : claim.requests) {
        if (!request.alternatives.empty()) return request.alternatives.front().device_class;
    }
    return {};
}

}  // namespace

allocation_result allocate(std::span<const device_claim* const> claims, device_use& use, device_matches& matches) {
    if (use.set != nullptr) {
        for (const device_claim* const claim : claims) {
            if (!claim->unmodeled.empty()) return {allocation::undecided, class_of(*claim), {}};
        }
        return device_search(claims, use, matches).run();
    }
    for (const device_claim* const claim : claims) {
        for (const device_request& request : claim->requests)
            return {allocation::no_devices, request.alternatives.front().device_class, {}};
    }
    return {};
}

}  // namespace gputide::nodes
