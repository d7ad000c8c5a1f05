#include "base/format_text.hpp"
#include "base/saturate.hpp"
#include "nodes/dra/device.hpp"

#include <algorithm>

namespace gputide::nodes {

std::int64_t min_devices(const std::vector<const device_claim*>& claims) {
    std::int64_t sum = 0;
    for (const device_claim* const claim : claims) {
        for (const device_request& request : claim->requests) {
            std::int64_t fewest = max_devices_of_claim + 1;
            for (const exact_request& exact : request.alternatives)
                fewest = std::min<std::int64_t>(fewest, exact.admin ? 0 : (exact.all ? 1 : exact.count));
            sum += fewest;
        }
    }
    return sum;
}

std::string why_undecided(const pod_claims& claims) {
    for (const mapped_resource& resource : claims.mapped) {
        if (!resource.claim->unmodeled.empty())
            return format_text("its {} by dynamic resource allocation: {}", resource.name, resource.claim->unmodeled);
    }
    return format_text(
        "the search for devices of its claims was given up after {} steps, so that it is not decided "
        "whether it fits",
        max_allocation_steps);
}

double share_of_devices(const pod_claims& claims, const node_shape& shape) {
    if (shape.devices == nullptr || shape.devices->devices.empty()) return 0.0;
    return static_cast<double>(min_devices(claims_on(claims, shape))) /
           static_cast<double>(shape.devices->devices.size());
}

bool pod_claims::maps(std::string_view resource_name) const {
    return std::ranges::any_of(mapped, [&](const mapped_resource& resource) { return resource.name == resource_name; });
}

std::vector<const device_claim*> claims_on(const pod_claims& claims, const node_shape& shape) {
    std::vector<const device_claim*> out;
    for (const auto& claim : claims.claims) out.push_back(claim.get());
    for (const mapped_resource& resource : claims.mapped) {
        if (shape.allocatable.of(resource.name) == 0) out.push_back(resource.claim.get());
    }
    return out;
}

bool is_mapped_on(const placement& asks, const node_shape& shape, std::string_view resource_name) {
    return asks.claims != nullptr && shape.allocatable.of(resource_name) == 0 && asks.claims->maps(resource_name);
}

std::vector<bool> held_by_daemons(const node& node) {
    std::vector<bool> out(node.shape.devices_held.size(), false);
    for (const pod& pod : node.pods) {
        if (!pod.goes_with_node()) continue;
        for (const std::uint32_t device : pod.devices) {
            if (device < out.size()) out[device] = true;
        }
    }
    return out;
}

void complete_devices(std::vector<pool>& pools, std::vector<node>& nodes) {
    for (pool& pool : pools) {
        if (!pool.shape) continue;
        const auto has_devices = [&](const node& node) {
            return node.pool == pool.id && !node.deleting && node.shape.devices != nullptr;
        };
        const auto from = std::ranges::find_if(nodes, has_devices);
        if (pool.shape->devices == nullptr && from != nodes.end()) {
            pool.shape->devices = from->shape.devices;
            pool.shape->devices_held = held_by_daemons(*from);
        }
        if (pool.shape->devices == nullptr) continue;
        for (node& node : nodes) {
            if (node.pool == pool.id && node.shape.devices == nullptr) node.ready = false;
        }
    }
}

std::uint32_t device_bins::add_claims(const pod_claims& claims) {
    const auto [at, is_new] = numbers_.try_emplace(&claims, static_cast<std::uint32_t>(claimed_.size()));
    if (is_new) claimed_.push_back({&claims});
    return at->second;
}

void device_bins::add_bin(const node_shape& shape, std::string name) {
    bins_.push_back({use_of_devices(shape), &shape, std::move(name), {}});
}

bool device_bins::maps(std::string_view resource_name) const {
    return std::ranges::any_of(claimed_, [&](const claimed& kind) { return kind.claims->maps(resource_name); });
}

std::int64_t device_bins::max_free(std::uint32_t begin, std::uint32_t end) const {
    std::int64_t out = 0;
    for (std::uint32_t bin = begin; bin < end; ++bin) out = std::max<std::int64_t>(out, bins_[bin].use.free);
    return out;
}

device_bins::known_of_bin& device_bins::known(std::uint32_t claims, std::uint32_t bin) {
    std::vector<known_of_bin>& all = claimed_[claims].bins;
    if (all.size() < bins_.size()) all.resize(bins_.size());
    return all[bin];
}

std::int64_t device_bins::place(std::uint32_t number, std::uint32_t bin, std::int64_t max_pods) {
    claimed& kind = claimed_[number];
    bin_devices& on = bins_[bin];
    const pod_claims& claims = *kind.claims;
    if (!claims.node.empty() && claims.node != on.name) return 0;
    known_of_bin& known_here = known(number, bin);
    if (known_here.failed == on.use.changes + 1) return 0;
    const std::vector<const device_claim*> wanted = claims_on(claims, *on.shape);
    if (wanted.empty()) return max_pods;
    const std::int64_t fewest = min_devices(wanted);
    for (std::int64_t pods = 0; pods < max_pods; ++pods) {
        const std::uint32_t before = on.use.changes;
        allocation_result made{allocation::no_devices, {}, {}};
        if (fewest <= on.use.free) made = allocate(wanted, on.use, matches_);
        if (made.outcome != allocation::done) {
            on.use.changes = before;  // the search has left everything as it was
            known_here.failed = before + 1;
            kind.undecided = kind.undecided || made.outcome == allocation::undecided;
            return pods;
        }
        on.allocated.emplace_back(number, std::move(made.devices));
    }
    return max_pods;
}

bool device_bins::can_err_for(const std::vector<const device_claim*>& claims, const device_set& set) {
    const bool may_all_err = set.devices.size() > static_cast<std::size_t>(max_devices_of_claim) ||
                             std::ranges::any_of(set.pools, [](const device_pool& pool) { return !pool.complete; });
    const auto may_fail = [&](const device_claim& claim, const exact_request& request) {
        if (request.all && (may_all_err || !claim.constraints.empty())) return true;
        for (std::uint32_t i = 0; i < set.devices.size(); ++i) {
            if (matches_.of(request, set, i) == match::error) return true;
        }
        return false;
    };
    for (const device_claim* const claim : claims) {
        std::int64_t devices = 0;
        for (const device_request& request : claim->requests) {
            for (const exact_request& exact : request.alternatives) {
                devices =
                    add_saturating(devices, exact.all ? static_cast<std::int64_t>(set.devices.size()) : exact.count);
                if (may_fail(*claim, exact)) return true;
            }
        }
        if (devices > max_devices_of_claim) return true;
    }
    return false;
}

bool device_bins::can_err(std::uint32_t number, std::uint32_t bin) {
    const bin_devices& on = bins_[bin];
    if (on.use.set == nullptr) return false;
    std::optional<bool>& out = known(number, bin).can_err;
    if (!out) out = can_err_for(claims_on(*claimed_[number].claims, *on.shape), *on.use.set);
    return *out;
}

bool device_bins::can_err(std::uint32_t number) {
    for (std::uint32_t& bin = claimed_[number].safe_bins; bin < bins_.size(); ++bin) {
        if (can_err(number, bin)) return true;
    }
    return false;
}

bool device_bins::is_error(std::uint32_t number, std::uint32_t bin) {
    if (!can_err(number, bin)) return false;
    bin_devices& on = bins_[bin];
    const std::uint32_t before = on.use.changes;
    known_of_bin& out = known(number, bin);
    if (out.judged == before + 1) return out.is_error;
    const allocation_result made = allocate(claims_on(*claimed_[number].claims, *on.shape), on.use, matches_);
    for (const std::uint32_t device : made.devices) set_held(on.use, device, false);
    on.use.changes = before;
    out.judged = before + 1;
    out.is_error = made.outcome == allocation::selector_error || made.outcome == allocation::claim_error;
    return out.is_error;
}

void device_bins::take_back(std::uint32_t number, std::uint32_t bin, std::int64_t pods) {
    bin_devices& on = bins_[bin];
    for (; pods > 0; --pods) {
        const auto at = std::find_if(on.allocated.rbegin(), on.allocated.rend(),
                                     [&](const auto& entry) { return entry.first == number; });
        if (at == on.allocated.rend()) return;
        for (const std::uint32_t device : at->second) set_held(on.use, device, false);
        on.allocated.erase(std::next(at).base());
    }
}

void hold_devices_for(const pod_claims& claims, std::int64_t pods, node_shape& shape, device_matches& matches) {
    device_use use = use_of_devices(shape);
    const std::vector<const device_claim*> wanted = claims_on(claims, shape);
    for (; pods > 0 && allocate(wanted, use, matches).outcome == allocation::done; --pods) {
    }
    if (pods > 0) use.held.assign(use.held.size(), true);  // placed in another order: which are free is unknown
    shape.devices_held = std::move(use.held);
}

}  // namespace gputide::nodes
