#include "nodes/read/devices.hpp"

#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/stable_order.hpp"
#include "base/text.hpp"
#include "nodes/read/objects.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace gputide::nodes {

namespace {

// Returns an amount in thousandths.
std::int64_t milli_of(const value_reader& owner, std::string_view member) {
    const std::string text = owner.text(member);
    const result<quantity> value = parse_quantity(text);
    if (!value) owner.error("quantity", format_text("{}: expected a quantity, got {}", member, in_quotes(text)));
    return value ? value->milli : 0;
}

void note_first(std::string& out, std::string text) {
    if (out.empty()) out = std::move(text);
}

device_property property_of(std::string_view written_name, const std::string& driver) {
    const std::size_t slash = written_name.find('/');
    if (slash == std::string_view::npos) return {driver, std::string(written_name), {}};
    return {std::string(written_name.substr(0, slash)), std::string(written_name.substr(slash + 1)), {}};
}

selector_value attribute_value(const value_reader& reader, std::string& unmodeled) {
    using type = selector_value::type;
    if (const value_reader value = reader.member("int")) return {type::integer, value.signed_integer().value_or(0), {}};
    if (reader.has("bool")) return {type::boolean, reader.flag("bool") ? 1 : 0, {}};
    if (reader.has("string")) return {type::text, 0, reader.text("string")};
    if (reader.has("version")) return {type::version, 0, reader.text("version")};
    note_first(unmodeled, "an attribute with a list of values");
    return {};
}

void read_properties(const value_reader& reader, device& out) {
    device_properties& all = out.properties;
    for (const value_reader value : reader.member("attributes").members()) {
        all.attributes.push_back(property_of(value.name(), all.driver));
        all.attributes.back().value = attribute_value(value, out.unmodeled);
    }
    for (const value_reader value : reader.member("capacity").members()) {
        all.capacities.push_back(property_of(value.name(), all.driver));
        all.capacities.back().value = {selector_value::type::quantity, milli_of(value, "value"), {}};
    }
}

void read_counters(const value_reader& item, const std::string& set, std::vector<written_counter>& out) {
    for (const value_reader value : item.member("counters").members())
        out.push_back({set, std::string(value.name()), milli_of(value, "value")});
}

void read_uses(const value_reader& list, written_device& out) {
    for (const value_reader item : list.items()) {
        if (const std::string other = unknown_member(item, {"counterSet", "counters"}); !other.empty())
            note_first(out.device.unmodeled, format_text("consumesCounters with {}", other));
        read_counters(item, item.text("counterSet"), out.uses);
    }
}

written_device read_device(const value_reader& item, const std::string& driver) {
    written_device out;
    device& made = out.device;
    made.name = item.text("name");
    made.properties.driver = driver;
    const value_reader basic = item.member("basic").or_else(item);  // of v1beta1
    if (const std::string other = unknown_member(basic, {"name", "attributes", "capacity", "consumesCounters", "taints",
                                                         "bindsToNode", "allowMultipleAllocations"});
        !other.empty())
        made.unmodeled = other;
    if (basic.flag("allowMultipleAllocations")) note_first(made.unmodeled, "allowMultipleAllocations");
    read_properties(basic, made);
    read_uses(basic.member("consumesCounters"), out);
    made.taints = read_taints(basic.member("taints"));
    return out;
}

// Adds a pool of slices of one generation.
void add_device_pool(const std::vector<resource_slice>& slices, device_set& out) {
    const auto number = static_cast<std::uint32_t>(out.pools.size());
    device_pool pool{slices.front().driver, slices.front().pool, true};
    const std::int64_t wanted = slices.front().slices;
    pool.complete = wanted == 0 || wanted == static_cast<std::int64_t>(slices.size());
    std::map<std::pair<std::string, std::string>, std::uint32_t> counters;
    std::map<std::string, std::uint32_t> sets;
    const std::uint32_t sets_before = out.counters.empty() ? 0 : out.counters.back().set + 1;
    for (const resource_slice& slice : slices) {
        for (const written_counter& counter : slice.counters) {
            const std::uint32_t set = sets.try_emplace(counter.set, sets_before + sets.size()).first->second;
            if (!counters.try_emplace({counter.set, counter.name}, out.counters.size()).second) pool.complete = false;
            out.counters.push_back({set, counter.amount});
        }
    }
    std::map<std::string_view, bool> names;
    for (const resource_slice& slice : slices) {
        for (const written_device& written : slice.devices) {
            if (!names.try_emplace(written.device.name, true).second) pool.complete = false;
            out.devices.push_back(written.device);
            device& made = out.devices.back();
            made.pool = number;
            for (const written_counter& use : written.uses) {
                const auto at = counters.find({use.set, use.name});
                if (at == counters.end()) {
                    pool.complete = false;
                } else {
                    made.counters.push_back({at->second, use.amount});
                }
            }
        }
    }
    out.pools.push_back(std::move(pool));
}

}  // namespace

std::string unknown_member(const value_reader& reader, std::initializer_list<std::string_view> known) {
    for (const value_reader member : reader.members()) {
        if (!text::is_null(member.tree()) && !is_one_of(member.name(), {known.begin(), known.size()}))
            return std::string(member.name());
    }
    return {};
}

resource_slice read_slice(const value_reader& spec, std::string name) {
    resource_slice out;
    out.name = std::move(name);
    out.driver = spec.text("driver");
    out.node = spec.text("nodeName");
    const value_reader pool = spec.member("pool");
    out.pool = pool.text("name");
    out.generation = pool.integer("generation");
    out.slices = pool.integer("resourceSliceCount");
    for (const value_reader item : spec.member("devices").items()) out.devices.push_back(read_device(item, out.driver));
    for (const value_reader item : spec.member("sharedCounters").items())
        read_counters(item, item.text("name"), out.counters);
    if (out.driver.empty()) spec.error("missing", "driver: expected the name of a DRA driver");
    return out;
}

std::shared_ptr<const device_set> read_own_slices(const value_reader& list) {
    std::vector<resource_slice> slices;
    for (const value_reader item : list.items()) {
        item.only({"driver", "pool", "devices", "sharedCounters", "nodeName"});
        slices.push_back(read_slice(item, std::to_string(slices.size())));
    }
    return devices_of(std::move(slices));
}

std::shared_ptr<const device_set> devices_of(std::vector<resource_slice> slices) {
    if (slices.empty()) return nullptr;
    std::map<std::pair<std::string, std::string>, std::vector<resource_slice>> pools;
    for (resource_slice& slice : slices) {
        std::vector<resource_slice>& known = pools[{slice.driver, slice.pool}];
        if (!known.empty() && known.front().generation > slice.generation) continue;
        if (!known.empty() && known.front().generation < slice.generation) known.clear();
        known.push_back(std::move(slice));
    }
    const auto out = std::make_shared<device_set>();
    for (auto& [key, of_pool] : pools) {
        sort_stably(of_pool, [](const resource_slice& a, const resource_slice& b) { return a.name < b.name; });
        add_device_pool(of_pool, *out);
    }
    return out;
}

namespace {

exact_request read_exact(const value_reader& reader, std::string& unmodeled) {
    exact_request out;
    if (const std::string other = unknown_member(reader, {"name", "exactly", "deviceClassName", "selectors",
                                                          "allocationMode", "count", "adminAccess", "tolerations"});
        !other.empty())
        note_first(unmodeled, format_text("a request with {}", other));
    out.device_class = reader.text("deviceClassName");
    out.selectors = read_selectors(reader, unmodeled);
    const std::string mode = reader.text("allocationMode", "ExactCount");
    out.all = mode == "All";
    if (!out.all && mode != "ExactCount") note_first(unmodeled, format_text("allocationMode {}", mode));
    out.count = reader.integer("count", 1);
    out.admin = reader.flag("adminAccess");
    out.tolerations = read_tolerations(reader.member("tolerations"));
    return out;
}

device_request read_request(const value_reader& item, std::string& unmodeled) {
    device_request out;
    out.name = item.text("name");
    if (const value_reader list = item.member("firstAvailable")) {
        for (const value_reader alternative : list.items()) {
            out.alternatives.push_back(read_exact(alternative, unmodeled));
            out.alternatives.back().name = alternative.text("name");
        }
        if (out.alternatives.empty()) {
            note_first(unmodeled, "an empty firstAvailable");
            out.alternatives.emplace_back();
        }
    } else {
        out.alternatives.push_back(read_exact(item.member("exactly").or_else(item), unmodeled));
    }
    return out;
}

device_constraint read_constraint(const value_reader& item, std::string& unmodeled) {
    device_constraint out;
    out.requests = item.words("requests");
    out.distinct = item.has("distinctAttribute");
    out.attribute = item.text(out.distinct ? "distinctAttribute" : "matchAttribute");
    const std::string other = unknown_member(item, {"requests", "matchAttribute", "distinctAttribute"});
    if (!other.empty() || out.attribute.empty())
        note_first(unmodeled, format_text("a constraint with {}", other.empty() ? "no attribute" : other));
    return out;
}

}  // namespace

std::vector<std::shared_ptr<const device_selector>> read_selectors(const value_reader& owner, std::string& unmodeled) {
    std::vector<std::shared_ptr<const device_selector>> out;
    for (const value_reader item : owner.member("selectors").items()) {
        result<device_selector> parsed = device_selector::parse(item.member("cel").text("expression"));
        if (parsed) {
            out.push_back(std::make_shared<device_selector>(*std::move(parsed)));
        } else {
            note_first(unmodeled, parsed.failure().message);
        }
    }
    return out;
}

device_claim read_claim(const value_reader& spec) {
    device_claim out;
    const value_reader devices = spec.member("devices");
    if (const std::string other = unknown_member(devices, {"requests", "constraints", "config"}); !other.empty())
        out.unmodeled = format_text("a claim with {}", other);
    // kubernetes/kubernetes pkg/apis/resource/types.go DeviceRequestsMaxSize.
    constexpr std::size_t max_requests = 32;
    for (const value_reader item : devices.member("requests").items()) {
        if (out.requests.size() == max_requests) {
            out.unmodeled = format_text("a claim with more than {} requests", max_requests);
            break;
        }
        out.requests.push_back(read_request(item, out.unmodeled));
    }
    for (const value_reader item : devices.member("constraints").items())
        out.constraints.push_back(read_constraint(item, out.unmodeled));
    return out;
}

}  // namespace gputide::nodes
