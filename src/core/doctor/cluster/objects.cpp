#include "doctor/cluster/objects.hpp"

#include "base/format_text.hpp"
#include "cluster/list/page.hpp"

#include <utility>

namespace gputide::doctor {
namespace {

namespace dom = simdjson::dom;

struct listing {
    cluster::endpoint from;
    std::function<void(dom::object)> take;
    cluster::paging pages;
    bool is_done = false;
};

// Whether it was the last page.
result<bool> take_page(const cluster::reply& reply, listing& of, std::vector<std::string>& unread) {
    if (cluster::is_too_large(reply) && of.pages.page_did_not_fit()) return false;
    if (reply.verdict != cluster::verdict::good) return reply.why;
    const std::string& body = reply.answer.response.body;
    const result<cluster::page> page = cluster::read_page(body, of.pages);
    if (!page) return page.failure();
    cluster::read_items(*page, body, of.take, [&](const cluster::unreadable_object& one) {
        unread.push_back(format_text("{} {}: {}", of.from.resource, one.key.text(), one.why));
    });
    of.pages.page_came(page->token, body.size());
    return page->token.empty();
}

void read_all(std::vector<listing> lists, const questions& replies_to, std::vector<std::string>& unread) {
    while (!lists.empty()) {
        std::vector<cluster::api_request> requests;
        for (const listing& one : lists) requests.push_back(one.pages.request(one.from));
        const std::vector<cluster::reply> replies = replies_to(requests);
        for (std::size_t i = 0; i < lists.size(); ++i) {
            const result<bool> is_last = take_page(replies[i], lists[i], unread);
            lists[i].is_done = !is_last || *is_last;
            if (!is_last)
                unread.push_back(format_text("the list of {}: {}", lists[i].from.resource, is_last.failure().message));
        }
        std::erase_if(lists, [](const listing& one) { return one.is_done; });
    }
}

listing list_of(const char* plural, const std::string& name_space, const std::string& selector,
                std::function<void(dom::object)> take) {
    listing out;
    out.from = cluster::kedas(plural).collection(name_space, selector);
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
