// Compares allocation with a trial of every choice, on nodes and claims drawn at random: it finds a solution where one
// exists, and a failed attempt changes nothing.
#include "base/format_text.hpp"
#include "nodes/dra/device.hpp"

#include <gtest/gtest.h>

#include <random>

namespace gputide::nodes {
namespace {

class claim_drawing {
  public:
    explicit claim_drawing(unsigned seed) : random_(seed) {}

    std::int64_t from(std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
    }

    std::shared_ptr<device_set> devices() {
        const auto out = std::make_shared<device_set>();
        out->pools.push_back({"d", "p", true});
        for (std::int64_t i = from(0, 2); i > 0; --i) out->counters.push_back({0, from(1, 4)});
        for (std::int64_t i = from(1, 5); i > 0; --i) {
            device made;
            made.name = format_text("device-{}", i);
            made.properties.driver = "d";
            for (const char* const name : {"kind", "root"}) {
                if (from(1, 6) > 1)
                    made.properties.attributes.push_back({"d", name, {selector_value::type::integer, from(1, 2), {}}});
            }
            for (std::uint32_t k = 0; k < out->counters.size(); ++k) {
                if (from(1, 2) == 1) made.counters.push_back({k, from(1, 2)});
            }
            if (from(1, 8) == 1) made.taints.push_back({"t", "", "NoSchedule"});
            out->devices.push_back(std::move(made));
        }
        return out;
    }

    exact_request exact(std::int64_t number) {
        exact_request out;
        out.name = format_text("a{}", number);
        out.device_class = "c";
        out.all = from(1, 8) == 1;
        out.admin = from(1, 10) == 1;
        out.count = from(1, 2);
        if (from(1, 3) == 1) out.tolerations.push_back({"t", "Exists", "", ""});
        if (from(1, 2) == 1)
            out.selectors.push_back(std::make_shared<device_selector>(*device_selector::parse(
                format_text(R"(has(device.attributes["d"].kind) && device.attributes["d"].kind == {})", from(1, 2)))));
        return out;
    }

    device_claim claim() {
        device_claim out;
        for (std::int64_t i = from(1, 2); i > 0; --i) {
            device_request request;
            request.name = format_text("r{}", i);
            for (std::int64_t k = from(1, 2); k > 0; --k) request.alternatives.push_back(exact(k));
            if (request.alternatives.size() == 1) request.alternatives.front().name.clear();
            out.requests.push_back(std::move(request));
        }
        if (from(1, 2) == 1) {
            out.constraints.push_back({"d/root", {}, from(1, 2) == 1});
            if (from(1, 2) == 1) out.constraints.back().requests.push_back("r1");
        }
        return out;
    }

  private:
    std::mt19937 random_;
};

struct chosen {
    std::size_t claim = 0;
    const device_request* request = nullptr;
    const exact_request* exact = nullptr;
    std::uint32_t device = 0;
};

bool covers(const device_constraint& constraint, const chosen& each) {
    const std::vector<std::string>& names = constraint.requests;
    return names.empty() || std::find(names.begin(), names.end(), each.request->name) != names.end();
}

// Judges a whole choice, without order or state.
bool is_solution(const std::vector<const device_claim*>& claims, const node_shape& shape,
                 const std::vector<chosen>& all) {
    const device_set& set = *shape.devices;
    device_use use = use_of_devices(shape);
    for (const chosen& each : all) {
        const device& device = set.devices[each.device];
        for (const chosen& other : all) {
            if (&other >= &each) break;
            const bool excludes = other.claim == each.claim || !each.exact->admin;
            if (excludes && other.device == each.device) return false;
        }
        for (const auto& selector : each.exact->selectors) {
            if (selector->matches(device.properties) != match::yes) return false;
        }
        if (!device.taints.empty() && each.exact->tolerations.empty()) return false;
        for (const counter_use& counter : device.counters) {
            if (use.counters_left[counter.counter] < counter.amount) return false;
        }
        if (each.exact->admin) {
            for (const counter_use& counter : device.counters) use.counters_left[counter.counter] -= counter.amount;
            continue;
        }
        if (use.held[each.device]) return false;
        set_held(use, each.device, true);
    }
    for (std::size_t i = 0; i < claims.size(); ++i) {
        for (const device_constraint& constraint : claims[i]->constraints) {
            std::vector<selector_value> values;
            for (const chosen& each : all) {
                if (each.claim != i || !covers(constraint, each)) continue;
                const selector_value* const value =
                    find_attribute(set.devices[each.device].properties, constraint.attribute);
                if (value == nullptr) return false;
                for (const selector_value& known : values) {
                    if ((known == *value) == constraint.distinct) return false;
                }
                values.push_back(*value);
            }
        }
    }
    return true;
}

std::int64_t devices_of_request(const exact_request& exact, const device_set& set) {
    if (!exact.all) return exact.count;
    std::int64_t out = 0;
    for (const device& device : set.devices) {
        bool matches = true;
        for (const auto& selector : exact.selectors)
            matches = matches && selector->matches(device.properties) == match::yes;
        out += matches ? 1 : 0;
    }
    return out;
}

// Tries every choice.
bool exists(const std::vector<const device_claim*>& claims, const node_shape& shape, std::size_t claim,
            std::size_t request, std::vector<chosen>& all) {
    if (claim == claims.size()) return is_solution(claims, shape, all);
    if (request == claims[claim]->requests.size()) return exists(claims, shape, claim + 1, 0, all);
    const device_request& of = claims[claim]->requests[request];
    const std::size_t count = shape.devices->devices.size();
    for (const exact_request& exact : of.alternatives) {
        const std::int64_t wanted = devices_of_request(exact, *shape.devices);
        if (wanted == 0) continue;
        for (std::uint32_t subset = 1; subset < 1U << count; ++subset) {
            if (__builtin_popcount(subset) != wanted) continue;
            const std::size_t before = all.size();
            for (std::uint32_t i = 0; i < count; ++i) {
                if ((subset >> i & 1U) != 0) all.push_back({claim, &of, &exact, i});
            }
            if (exists(claims, shape, claim, request + 1, all)) return true;
            all.resize(before);
        }
    }
    return false;
}

TEST(AllocationLaw, FindsASolutionWhereOneExists) {
    std::int64_t found = 0;
    constexpr unsigned seeds = 1'000;
    for (unsigned seed = 0; seed < seeds; ++seed) {
        claim_drawing draw(seed);
        node_shape shape;
        shape.devices = draw.devices();
        for (std::size_t i = 0; i < shape.devices->devices.size(); ++i)
            shape.devices_held.push_back(draw.from(1, 5) == 1);
        std::vector<device_claim> drawn;
        for (std::int64_t i = draw.from(1, 2); i > 0; --i) drawn.push_back(draw.claim());
        std::vector<const device_claim*> claims;
        for (const device_claim& claim : drawn) claims.push_back(&claim);
        const device_use before = use_of_devices(shape);
        device_use use = before;
        device_matches matches;
        const allocation_result made = allocate(claims, use, matches);
        std::vector<chosen> all;
        if (made.outcome != allocation::claim_error) {
            ASSERT_EQ(made.outcome == allocation::done, exists(claims, shape, 0, 0, all)) << "seed " << seed;
        }
        if (made.outcome == allocation::done) {
            ++found;
            EXPECT_EQ(use.free + made.devices.size(), before.free) << "seed " << seed;
        } else {
            EXPECT_EQ(use.held, before.held) << "seed " << seed;
            EXPECT_EQ(use.counters_left, before.counters_left) << "seed " << seed;
        }
    }
    EXPECT_GT(found, seeds / 5);
    EXPECT_LT(found, seeds * 4 / 5);
}

}  // namespace
}  // namespace gputide::nodes
