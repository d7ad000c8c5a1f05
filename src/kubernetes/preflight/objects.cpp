#include "kubernetes/preflight/objects.hpp"

#include "base/format_text.hpp"
#include "kubernetes/watch/page.hpp"

#include <utility>

namespace gputide::doctor {
namespace {

namespace dom = simdjson::dom;

struct listing {
    kubernetes::endpoint from;
    std::function<void(dom::object)> take;
    kubernetes::paging pages;
    bool is_done = false;
};

// Whether it was the last page.
result<bool> take_page(const kubernetes::reply& reply, listing& of, std::vector<std::string>& unread) {
    if (kubernetes::is_too_large(reply) && of.pages.page_did_not_fit()) return false;
    if (reply.verdict != kubernetes::verdict::good) return reply.why;
    const std::string& body = reply.answer.response.body;
    const result<kubernetes::page> page = kubernetes::read_page(body, of.pages);
    if (!page) return page.failure();
    kubernetes::read_items(*page, body, of.take, [&](const kubernetes::unreadable_object& one) {
        unread.push_back(format_text("{} {}: {}", of.from.resource, one.key.text(), one.why));
    });
    of.pages.page_came(page->token, body.size());
    return page->token.empty();
}

void read_all(std::vector<listing> lists, const questions& replies_to, std::vector<std::string>& unread) {
    while (!lists.empty()) {
        std::vector<kubernetes::api_request> requests;
        for (const listing& one : lists) requests.push_back(one.pages.request(one.from));
        const std::vector<kubernetes::reply> replies = replies_to(requests);
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
    out.from = kubernetes::kedas(plural).collection(name_space, selector);
    out.take = std::move(take);
    return out;
}

kubernetes::api_request discovery_of(const std::string& group, const std::string& version) {
    kubernetes::api_request out;
    out.target.group = group;
    out.target.version = version;
    out.target.verb = "get";
    return out;
}

// As the runtime finds it: in the version of the group that the server prefers.
result<kubernetes::resource> find_kind(const group_kind& wanted, const questions& replies_to) {
    const auto& [group, kind] = wanted;
    result<std::string> version = std::string("v1");
    if (!group.empty()) {
        const kubernetes::api_request asked = discovery_of(group, {});
        version = kubernetes::preferred_version(replies_to({asked}).front().answer, asked.target);
    }
    if (!version) return std::move(version).failure();
    const kubernetes::api_request asked = discovery_of(group, *version);
    return kubernetes::find_resource(replies_to({asked}).front().answer, asked.target, kind);
}

}  // namespace

seen_objects see_objects(const kubernetes::settings& settings, const questions& replies_to) {
    seen_objects seen;
    const auto add_scaler = [](kubernetes::scaled_object one, std::vector<kubernetes::scaled_object>& to) {
        if (one.facts.deleting) return;
        one.manifest.clear();
        to.push_back(std::move(one));
    };
    const auto add_authentication = [&](dom::object object, bool is_cluster_wide) {
        kubernetes::authentication one = kubernetes::read_authentication(object, is_cluster_wide);
        seen.authentications.insert_or_assign(one.facts.key, std::move(one));
    };
    std::vector<listing> lists;
    const std::vector<std::string> everywhere{{}};
    for (const std::string& space : settings.namespaces.empty() ? everywhere : settings.namespaces) {
        lists.push_back(list_of("scaledobjects", space, settings.selector, [&](dom::object one) {
            add_scaler(kubernetes::read_scaled_object(one, settings.owner), seen.scaled_objects);
        }));
        lists.push_back(list_of("scaledjobs", space, settings.selector, [&](dom::object one) {
            add_scaler(kubernetes::read_scaled_job(one, settings.owner), seen.scaled_jobs);
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
