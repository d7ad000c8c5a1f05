#include "nodes/packing.hpp"

#include "base/saturate.hpp"

#include <algorithm>
#include <limits>

namespace gputide::nodes {
namespace {

constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();

// Everything that restricts a pod's placement, except amounts and ports; equal texts have equal results on every node.
class rules_text {
  public:
    explicit rules_text(const placement& asks) {
        for (const auto& [key, value] : asks.node_selector) part('s', key, value);
        if (asks.node_affinity) part('a');
        for (const affinity_term& term : asks.node_affinity.value_or(std::vector<affinity_term>{})) {
            part('t');
            for (const requirement& label : term.labels) expression('l', label);
            for (const requirement& field : term.fields) expression('f', field);
        }
        for (const toleration& toleration : asks.tolerations)
            part('o', toleration.key, toleration.op, toleration.value, toleration.effect);
        for (const std::string& model : asks.gpu_models) part('m', model);
        if (asks.gpu_memory_min_bytes <= 0) return;
        part('g', std::to_string(asks.gpu_memory_min_bytes));
        for (const resource& request : asks.requests) {
            if (is_gpu(request.name)) part('r', request.name, request.amount > 0 ? "1" : "0");
        }
    }
    std::string take() { return std::move(out_); }

  private:
    template <class... Texts>
    void part(char what, const Texts&... texts) {
        out_ += what;
        (append(texts), ...);
    }
    void append(std::string_view text) {
        out_ += std::to_string(text.size());
        out_ += ':';
        out_ += text;
    }
    void expression(char what, const requirement& requirement) {
        part(what, requirement.key, requirement.op);
        for (const std::string& value : requirement.values) part('v', value);
    }

    std::string out_;
};

}  // namespace

std::uint32_t bins::position_of(const std::string& name) {
    const auto [at, is_new] = positions_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return at->second;
}

std::uint32_t bins::rules_of(const placement& asks) {
    const auto [at, is_new] =
        rule_numbers_.try_emplace(rules_text(asks).take(), static_cast<std::uint32_t>(rules_.size()));
    if (is_new) {
        rules_.push_back(&asks);
        allowed_.emplace_back();
    }
    return at->second;
}

std::uint32_t bins::add_demand(const placement& asks) {
    demanded demand;
    demand.asks = &asks;
    demand.rules = rules_of(asks);
    for (const resource& request : asks.requests) {
        if (request.amount > 0 && request.name != pods_name)
            demand.amounts.emplace_back(position_of(request.name), request.amount);
    }
    std::stable_partition(demand.amounts.begin(), demand.amounts.end(),
                          [&](const auto& amount) { return is_gpu(names_[amount.first]); });
    demand.amounts.emplace_back(position_of(std::string(pods_name)), 1);
    demands_.push_back(std::move(demand));
    return static_cast<std::uint32_t>(demands_.size() - 1);
}

std::uint32_t bins::add_kind(const node_shape& shape, std::string_view name) {
    kinds_.push_back({&shape, std::string(name)});
    return static_cast<std::uint32_t>(kinds_.size() - 1);
}

std::uint32_t bins::add_bin(std::uint32_t kind, const occupied& taken) {
    const resource_list& allocatable = kinds_[kind].shape->allocatable;
    for (const std::string& name : names_) {
        const bool uncounted = name == pods_name && !allocatable.lists(name);
        free_.push_back(uncounted ? unbounded : subtract_saturating(allocatable.of(name), taken.used.of(name)));
    }
    kind_of_.push_back(kind);
    placed_.push_back(0);
    ports_.push_back(taken.ports);
    return static_cast<std::uint32_t>(kind_of_.size() - 1);
}

bool bins::may_go(std::uint32_t rules, std::uint32_t kind) {
    std::vector<std::int8_t>& known = allowed_[rules];
    if (known.size() <= kind) known.resize(kinds_.size(), -1);
    if (known[kind] < 0) {
        const placement& asks = *rules_[rules];
        const node_shape& shape = *kinds_[kind].shape;
        const bool may = selector_matches(asks, shape, kinds_[kind].name) &&
                         first_untolerated(asks, shape.taints) == nullptr && gpu_model_matches(asks, shape) &&
                         gpu_memory_suffices(asks, shape);
        known[kind] = may ? 1 : 0;
    }
    return known[kind] == 1;
}

std::int64_t bins::capacity_for(const demanded& demand, std::uint32_t bin) const {
    const std::int64_t* const free = &free_[bin * names_.size()];
    std::int64_t capacity = unbounded;
    for (const auto& [position, amount] : demand.amounts) {
        if (free[position] < amount) return 0;
        if (free[position] != unbounded) capacity = std::min(capacity, free[position] / amount);
    }
    return capacity;
}

bool bins::port_is_free(const demanded& demand, std::uint32_t bin) const {
    return std::none_of(demand.asks->ports.begin(), demand.asks->ports.end(), [&](const host_port& wanted) {
        return std::any_of(ports_[bin].begin(), ports_[bin].end(),
                           [&](const host_port& taken) { return ports_collide(wanted, taken); });
    });
}

std::int64_t bins::place(std::uint32_t demand, std::uint32_t bin, std::int64_t most) {
    const demanded& item = demands_[demand];
    std::int64_t count = std::min(most, capacity_for(item, bin));
    if (count <= 0 || !may_go(item.rules, kind_of_[bin])) return 0;
    if (!item.asks->ports.empty()) {
        if (!port_is_free(item, bin)) return 0;
        count = 1;  // the second pod would collide with the first
        ports_[bin].insert(ports_[bin].end(), item.asks->ports.begin(), item.asks->ports.end());
    }
    std::int64_t* const free = &free_[bin * names_.size()];
    for (const auto& [position, amount] : item.amounts) {
        if (free[position] != unbounded) free[position] -= amount * count;
    }
    placed_[bin] += count;
    return count;
}

void bins::take_back(std::uint32_t demand, std::uint32_t bin, std::int64_t count) {
    const demanded& item = demands_[demand];
    std::int64_t* const free = &free_[bin * names_.size()];
    for (const auto& [position, amount] : item.amounts) {
        if (free[position] != unbounded) free[position] += amount * count;
    }
    placed_[bin] -= count;
    for (const host_port& port : item.asks->ports) {
        const auto at = std::find(ports_[bin].rbegin(), ports_[bin].rend(), port);
        if (at != ports_[bin].rend()) ports_[bin].erase(std::next(at).base());
    }
}

}  // namespace gputide::nodes
