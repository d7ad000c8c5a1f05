#include "base/format_text.hpp"
#include "base/text.hpp"
#include "nodes/read/devices.hpp"
#include "nodes/read/objects.hpp"

#include <algorithm>

namespace gputide::nodes {
namespace {

exact_request read_exact(const value_reader& reader, std::string& unmodeled) {
    exact_request out;
    if (const std::string other = unknown_member(reader, {"name", "exactly", "deviceClassName", "selectors",
                                                          "allocationMode", "count", "adminAccess", "tolerations"});
        !other.empty() && unmodeled.empty())
        unmodeled = format_text("a request with {}", other);
    out.device_class = reader.text("deviceClassName");
    out.selectors = read_selectors(reader, unmodeled);
    const std::string mode = reader.text("allocationMode", "ExactCount");
    out.all = mode == "All";
    if (!out.all && mode != "ExactCount" && unmodeled.empty()) unmodeled = format_text("allocationMode {}", mode);
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
            if (unmodeled.empty()) unmodeled = "an empty firstAvailable";
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
    if (unmodeled.empty() && (!other.empty() || out.attribute.empty()))
        unmodeled = format_text("a constraint with {}", other.empty() ? "no attribute" : other);
    return out;
}

}  // namespace

std::vector<std::shared_ptr<const device_selector>> read_selectors(const value_reader& owner, std::string& unmodeled) {
    std::vector<std::shared_ptr<const device_selector>> out;
    for (const value_reader item : owner.member("selectors").items()) {
        result<device_selector> parsed = device_selector::parse(item.member("cel").text("expression"));
        if (parsed) {
            out.push_back(std::make_shared<device_selector>(*std::move(parsed)));
        } else if (unmodeled.empty()) {
            unmodeled = parsed.failure().message;
        }
    }
    return out;
}

written_claim read_claim(const value_reader& spec) {
    written_claim out;
    const value_reader devices = spec.member("devices");
    if (const std::string other = unknown_member(devices, {"requests", "constraints", "config"}); !other.empty())
        out.unmodeled = format_text("a claim with {}", other);
    // kubernetes/kubernetes pkg/apis/resource/types.go DeviceRequestsMaxSize.
    constexpr std::size_t max_requests = 32;
    for (const value_reader item : devices.member("requests").items()) {
        if (out.claim.requests.size() == max_requests) {
            out.unmodeled = format_text("a claim with more than {} requests", max_requests);
            break;
        }
        out.claim.requests.push_back(read_request(item, out.unmodeled));
    }
    for (const value_reader item : devices.member("constraints").items())
        out.claim.constraints.push_back(read_constraint(item, out.unmodeled));
    return out;
}

}  // namespace gputide::nodes
