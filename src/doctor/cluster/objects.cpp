#include "doctor/cluster/objects.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "formats/json/members.hpp"
#include "formats/json/scratch.hpp"

#include <optional>
#include <utility>

namespace gputide::doctor {
namespace {

namespace dom = simdjson::dom;

constexpr std::int64_t most_objects_of_page = 250;

struct listing {
    cluster::endpoint from;
    std::function<void(dom::object)> take;
    std::string token;
    bool is_done = false;
};

// The token of the next page; "": this was the last one.
result<std::string> take_page(const cluster::reply& reply, const listing& whose) {
    if (reply.verdict != cluster::verdict::good) return reply.why;
    formats::scratch_use own(reply.answer.response.body);
    dom::object root;
    const bool is_object = own->parse(reply.answer.response.body, root) == simdjson::SUCCESS;
    const auto metadata = is_object ? formats::object_of(root, "metadata") : std::nullopt;
    const auto items = is_object ? formats::array_of(root, "items") : std::nullopt;
    if (!metadata || !items) return fail(error_class::shape, "the answer is no list of Kubernetes");
    std::string token = formats::text_in(*metadata, "continue");
    for (const dom::element one : *items) {
        dom::object object;
        if (one.get(object) == simdjson::SUCCESS) whose.take(object);
    }
    return token;
}

void read_all(std::vector<listing> lists, const questions& replies_to, std::vector<std::string>& unread) {
    while (!lists.empty()) {
        std::vector<cluster::api_request> requests;
        for (const listing& one : lists) {
            cluster::api_request page;
            page.target = one.from;
            page.target.query += format_text("{}limit={}", one.from.query.empty() ? "?" : "&", most_objects_of_page);
            if (!one.token.empty()) page.target.query += "&continue=" + percent_encode(one.token);
            requests.push_back(std::move(page));
        }
        const std::vector<cluster::reply> replies = replies_to(requests);
        for (std::size_t i = 0; i < lists.size(); ++i) {
            result<std::string> token = take_page(replies[i], lists[i]);
            lists[i].is_done = !token || token->empty();
            if (token) {
                lists[i].token = *std::move(token);
            } else {
                unread.push_back(format_text("the list of {}: {}", lists[i].from.resource, token.failure().message));
            }
        }
        std::erase_if(lists, [](const listing& one) { return one.is_done; });
    }
}

listing list_of(const char* plural, const std::string& name_space, const std::string& selector,
                std::function<void(dom::object)> take) {
    listing out;
    out.from = cluster::kedas(plural).collection(name_space, selector);
    out.from.verb = "list";
    out.take = std::move(take);
    return out;
}

cluster::api_request discovery_of(const std::string& group, const std::string& version) {
    cluster::api_request out;
    out.target.group = group;
    out.target.version = version;
    out.target.verb = "get";
    return out;
}

// As the runtime finds it: in the version of the group that the server prefers.
result<cluster::resource> find_kind(const group_kind& wanted, const questions& replies_to) {
    const auto& [group, kind] = wanted;
    result<std::string> version = std::string("v1");
    if (!group.empty()) {
        const cluster::api_request asked = discovery_of(group, {});
        version = cluster::preferred_version(replies_to({asked}).front().answer, asked.target);
    }
    if (!version) return std::move(version).failure();
    const cluster::api_request asked = discovery_of(group, *version);
    return cluster::find_resource(replies_to({asked}).front().answer, asked.target, kind);
}

}  // namespace

seen_objects see_objects(const cluster::settings& settings, const questions& replies_to) {
    seen_objects seen;
    const auto add_scaler = [](cluster::scaled_object one, std::vector<cluster::scaled_object>& to) {
        if (one.facts.deleting) return;
        one.manifest.clear();
        to.push_back(std::move(one));
    };
    const auto add_authentication = [&](dom::object object, bool is_cluster_wide) {
        cluster::authentication one = cluster::read_authentication(object, is_cluster_wide);
        seen.authentications.insert_or_assign(one.facts.key, std::move(one));
    };
    std::vector<listing> lists;
    const std::vector<std::string> everywhere{{}};
    for (const std::string& space : settings.namespaces.empty() ? everywhere : settings.namespaces) {
        lists.push_back(list_of("scaledobjects", space, settings.selector, [&](dom::object one) {
            add_scaler(cluster::read_scaled_object(one, settings.owner), seen.scaled_objects);
        }));
        lists.push_back(list_of("scaledjobs", space, settings.selector, [&](dom::object one) {
            add_scaler(cluster::read_scaled_job(one, settings.owner).common, seen.scaled_jobs);
        }));
        lists.push_back(
            list_of("triggerauthentications", space, {}, [&](dom::object one) { add_authentication(one, false); }));
    }
    lists.push_back(
        list_of("clustertriggerauthentications", {}, {}, [&](dom::object one) { add_authentication(one, true); }));
    read_all(std::move(lists), replies_to, seen.unread);
    for (const group_kind& one : custom_kinds(seen)) seen.resources.emplace(one, find_kind(one, replies_to));
    return seen;
}

}  // namespace gputide::doctor
