#include "base/format_text.hpp"
#include "kube/endpoint.hpp"
#include "kubernetes/preflight/preflight.hpp"
#include "kubernetes/watch/list.hpp"

#include <set>
#include <string_view>
#include <utility>

namespace gputide::doctor {
namespace {

constexpr std::size_t max_objects_listed = 6;
constexpr std::string_view tokens_resource = "serviceaccounts/token";

group_kind kind_of(const kubernetes::target_reference& target) {
    return {kube::group_of(target.api_version), target.kind};
}

bool is_usual(const group_kind& kind) {
    return kind.first == "apps" && (kind.second == "Deployment" || kind.second == "StatefulSet");
}

kubernetes::object_key key_of(const kubernetes::authentication_reference& named,
                              const kubernetes::scaled_object& user) {
    return {named.is_cluster_wide ? std::string() : user.facts.key.name_space, named.name};
}

template <class Use>
void each_scaler(const seen_objects& seen, const Use& use) {
    for (const kubernetes::scaled_object& object : seen.scaled_objects) use(object);
    for (const kubernetes::scaled_object& object : seen.scaled_jobs) use(object);
}

// Names of the scalers that need the object.
using user_names = std::set<std::string>;

std::string loss_of(const user_names& names) {
    return listed({names.begin(), names.end()}, max_objects_listed) + (names.size() == 1 ? " is" : " are") +
           " not scaled";
}

// Keyed by resource and by namespace and name.
using store_users = std::map<std::pair<std::string, kubernetes::object_key>, user_names>;

store_users stores_of(const seen_objects& seen, const std::string& secrets_namespace) {
    store_users out;
    each_scaler(seen, [&](const kubernetes::scaled_object& user) {
        for (const kubernetes::authentication_reference& named : user.authentications) {
            const auto found = seen.authentications.find(key_of(named, user));
            if (found == seen.authentications.end()) continue;
            const std::string& space = named.is_cluster_wide ? secrets_namespace : user.facts.key.name_space;
            const auto add = [&](std::string_view resource, const std::vector<std::string>& names) {
                for (const std::string& name : names)
                    out[{std::string(resource), {space, name}}].insert(user.facts.key.text());
            };
            add("secrets", found->second.secrets);
            add("configmaps", found->second.config_maps);
            add(tokens_resource, found->second.accounts);
        }
    });
    return out;
}

void add_custom(const kubernetes::resource& resource, const std::string& name_space, bool writes,
                const std::string& loss, std::vector<kubernetes::right>& out) {
    const auto add = [&](kubernetes::right_use use, const std::string& what, const char* verb) {
        out.push_back({use, resource.group, what, verb, name_space, {}, loss});
    };
    add(kubernetes::right_use::reading, resource.plural, "list");
    add(kubernetes::right_use::reading, resource.plural, "watch");
    // Which member has the size follows from its definition.
    add(kubernetes::right_use::reading, resource.plural + "/scale", "get");
    if (writes) add(kubernetes::right_use::scaling, resource.plural + "/scale", "update");
}

}  // namespace

std::vector<kubernetes::right> rights_of(const seen_objects& seen, const kubernetes::settings& settings) {
    std::vector<kubernetes::right> out;
    for (const auto& [store, names] : stores_of(seen, settings.cluster_secrets_namespace)) {
        const auto& [resource, key] = store;
        const char* const verb = resource == tokens_resource ? "create" : "get";
        out.push_back({kubernetes::right_use::reading, "", resource, verb, key.name_space, key.name, loss_of(names)});
    }
    // Custom resources are watched as the ScaledObjects are: in all namespaces together, or in each of theirs.
    std::map<std::pair<group_kind, std::string>, user_names> custom;
    for (const kubernetes::scaled_object& object : seen.scaled_objects) {
        const std::string space = settings.namespaces.empty() ? std::string() : object.facts.key.name_space;
        if (!is_usual(kind_of(object.target))) custom[{kind_of(object.target), space}].insert(object.facts.key.text());
    }
    for (const auto& [place, names] : custom) {
        const auto found = seen.resources.find(place.first);
        if (found == seen.resources.end() || !found->second) continue;
        add_custom(*found->second, place.second, !settings.shadow, loss_of(names), out);
    }
    return out;
}

step judge_objects(const seen_objects& seen) {
    std::vector<std::string> troubles = seen.unread;
    if (seen.unread.empty()) {
        std::set<std::string> absent;
        each_scaler(seen, [&](const kubernetes::scaled_object& user) {
            for (const kubernetes::authentication_reference& named : user.authentications) {
                if (seen.authentications.count(key_of(named, user)) != 0) continue;
                absent.insert(format_text(
                    "{} names {} {}, which does not exist", user.facts.key.text(),
                    named.is_cluster_wide ? "ClusterTriggerAuthentication" : "TriggerAuthentication", named.name));
            }
        });
        troubles.insert(troubles.end(), absent.begin(), absent.end());
    }
    for (const auto& [kind, resource] : seen.resources) {
        if (!resource)
            troubles.push_back(format_text("{} of {}: {}", kind.second, kind.first, resource.failure().message));
    }
    if (!troubles.empty()) {
        return doubtful(cluster_step::objects, listed(troubles, max_objects_listed),
                        "These objects name the Secrets and custom resources that are needed; without them not all "
                        "rights can be checked.",
                        "Create or correct these objects, grant the rights in step reading, and check again.");
    }
    return passed(cluster_step::objects,
                  format_text("{} and {}", counted(seen.scaled_objects.size(), "ScaledObject", "ScaledObjects"),
                              counted(seen.scaled_jobs.size(), "ScaledJob", "ScaledJobs")));
}

namespace {

namespace dom = simdjson::dom;

struct listing {
    kubernetes::endpoint from;
    callback<void(dom::object)> take;
    kubernetes::paging pages;
    bool is_done = false;
};

// Takes a page; returns true after the last one.
result<bool> take_page(const kubernetes::reply& reply, listing& of, std::vector<std::string>& unread) {
    if (kubernetes::is_too_large(reply) && of.pages.page_did_not_fit()) return false;
    if (reply.verdict != kubernetes::verdict::good) return reply.why;
    const std::string& body = reply.answer.response.body;
    const result<kubernetes::page> page = kubernetes::read_page(body, of.pages);
    if (!page) return page.failure();
    kubernetes::read_items(*page, body, of.take, [&](const kubernetes::unreadable_object& object) {
        unread.push_back(format_text("{} {}: {}", of.from.resource, object.key.text(), object.why));
    });
    of.pages.page_came(page->token, body.size());
    return page->token.empty();
}

void read_all(std::vector<listing> lists, questions replies_to, std::vector<std::string>& unread) {
    while (!lists.empty()) {
        std::vector<kubernetes::api_request> requests;
        for (const listing& list : lists) requests.push_back(list.pages.request(list.from));
        const std::vector<kubernetes::reply> replies = replies_to(requests);
        for (std::size_t i = 0; i < lists.size(); ++i) {
            const result<bool> is_last = take_page(replies[i], lists[i], unread);
            lists[i].is_done = !is_last || *is_last;
            if (!is_last)
                unread.push_back(format_text("the list of {}: {}", lists[i].from.resource, is_last.failure().message));
        }
        std::erase_if(lists, [](const listing& list) { return list.is_done; });
    }
}

listing list_of(const char* plural, const std::string& name_space, const std::string& selector,
                callback<void(dom::object)> take) {
    listing out;
    out.from = kubernetes::kedas(plural).collection(name_space, selector);
    out.take = std::move(take);
    return out;
}

// Finds a kind as the runtime does: in the group's preferred version.
result<kubernetes::resource> find_kind(const group_kind& wanted, questions replies_to) {
    const auto& [group, kind] = wanted;
    result<std::string> version = std::string("v1");
    if (!group.empty()) {
        const kubernetes::api_request asked{kube::group_versions(group)};
        version = kubernetes::preferred_version(replies_to({asked}).front().answer, asked.target);
    }
    if (!version) return version.take_failure();
    const kubernetes::api_request asked{kubernetes::discovery_at(group, *version)};
    return kubernetes::find_resource(replies_to({asked}).front().answer, asked.target, kind);
}

}  // namespace

seen_objects see_objects(const kubernetes::settings& settings, questions replies_to) {
    seen_objects seen;
    std::set<group_kind> custom;  // other target kinds than those for which the rights are always needed
    const auto add_scaler = [](kubernetes::scaled_object object, std::vector<kubernetes::scaled_object>& to) {
        if (object.facts.deleting) return;
        object.manifest.clear();
        to.push_back(std::move(object));
    };
    const auto add_authentication = [&](dom::object object, bool is_cluster_wide) {
        kubernetes::authentication authentication = kubernetes::read_authentication(object, is_cluster_wide);
        seen.authentications.insert_or_assign(authentication.facts.key, std::move(authentication));
    };
    std::vector<listing> lists;
    const std::vector<std::string> everywhere{{}};
    for (const std::string& space : settings.namespaces.empty() ? everywhere : settings.namespaces) {
        lists.push_back(list_of("scaledobjects", space, settings.selector, [&](dom::object object) {
            add_scaler(kubernetes::read_scaled_object(object, settings.owner), seen.scaled_objects);
        }));
        lists.push_back(list_of("scaledjobs", space, settings.selector, [&](dom::object object) {
            add_scaler(kubernetes::read_scaled_job(object, settings.owner), seen.scaled_jobs);
        }));
        lists.push_back(list_of("triggerauthentications", space, {},
                                [&](dom::object object) { add_authentication(object, false); }));
    }
    lists.push_back(list_of("clustertriggerauthentications", {}, {},
                            [&](dom::object object) { add_authentication(object, true); }));
    read_all(std::move(lists), replies_to, seen.unread);
    for (const kubernetes::scaled_object& object : seen.scaled_objects) {
        const group_kind wanted = kind_of(object.target);
        if (!is_usual(wanted)) custom.insert(wanted);
    }
    for (const group_kind& wanted : custom) seen.resources.emplace(wanted, find_kind(wanted, replies_to));
    return seen;
}

}  // namespace gputide::doctor
