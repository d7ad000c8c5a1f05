#include "base/format_text.hpp"
#include "base/stable_order.hpp"
#include "http/client.hpp"
#include "kube/endpoint.hpp"
#include "kubernetes/preflight/preflight.hpp"

#include <algorithm>
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

template <class Use>
void each_scaler(const seen_objects& seen, const Use& use) {
    for (const auto& [name, object] : seen.scaled_objects) use(object);
    for (const auto& [name, object] : seen.scaled_jobs) use(object);
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
            const auto found = seen.authentications.find(named.key_in(user.facts.key.name_space));
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
    for (const auto& [name, object] : seen.scaled_objects) {
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
                if (seen.authentications.count(named.key_in(user.facts.key.name_space)) != 0) continue;
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

constexpr std::int64_t max_per_request_ms = 10'000;
constexpr std::int64_t max_per_list_ms = 30'000;

// Finds a kind as the runtime does: in the group's preferred version.
result<kubernetes::resource> find_kind(const group_kind& wanted, const inquiry& ask) {
    const auto& [group, kind] = wanted;
    result<std::string> version = std::string("v1");
    if (!group.empty()) {
        const kubernetes::api_request asked{kube::group_versions(group)};
        version = kubernetes::preferred_version(ask.replies_to({asked}).front().answer, asked.target);
    }
    if (!version) return version.take_failure();
    const kubernetes::api_request asked{kubernetes::discovery_at(group, *version)};
    return kubernetes::find_resource(ask.replies_to({asked}).front().answer, asked.target, kind);
}

}  // namespace

std::vector<kubernetes::reply> inquiry::run(std::vector<part> parts) const {
    const std::size_t count = parts.size();
    auto replies = http::wait<std::vector<kubernetes::reply>>(
        *client_,
        [client = client_, parts = std::move(parts)](callback<void(std::vector<kubernetes::reply>)> done) {
            return http::all<kubernetes::reply>(*client, parts, std::move(done));
        },
        under_.deadline_ms, under_.cancel);
    if (replies) return *std::move(replies);
    kubernetes::reply late;
    late.why = replies.take_failure();
    late.answer = {http::fault::deadline, late.why.message};
    return std::vector<kubernetes::reply>(count, late);
}

std::vector<kubernetes::reply> inquiry::replies_to(std::vector<kubernetes::api_request> requests) const {
    std::vector<part> parts;
    for (kubernetes::api_request& request : requests) {
        request.timeout_ms = std::max<std::int64_t>(1, until_ms(max_per_request_ms) - client_->steady_ms());
        parts.emplace_back([api = api_, request = std::move(request)](callback<void(kubernetes::reply)> done) {
            return api->send(request, std::move(done));
        });
    }
    return run(std::move(parts));
}

seen_objects see_objects(const kubernetes::settings& settings, const inquiry& ask) {
    seen_objects seen;
    std::set<group_kind> custom;       // other target kinds than those for which the rights are always needed
    std::set<std::string> unread;      // objects; one that comes twice counts once, because a list may begin again
    std::vector<const char*> plurals;  // of `lists`
    std::vector<inquiry::part> lists;
    const std::int64_t until_ms = ask.until_ms(max_per_list_ms);
    const auto list = [&](const char* plural, const std::string& space, const std::string& selector,
                          callback<void(dom::object)> take) {
        plurals.push_back(plural);
        lists.emplace_back([&, plural, from = kubernetes::kedas(plural).collection(space, selector),
                            take = std::move(take)](callback<void(kubernetes::reply)> done) mutable {
            return kubernetes::list_pages(
                ask.api(), from, until_ms,
                [&unread, plural, take = std::move(take)](const kubernetes::page& page,
                                                          const std::string& body) -> result<void> {
                    kubernetes::read_items(page, body, take, [&](const kubernetes::unreadable_object& object) {
                        unread.insert(format_text("{} {}: {}", plural, object.key.text(), object.why));
                    });
                    return {};
                },
                [done = std::move(done)](const result<void>& read) {
                    kubernetes::reply reply;
                    reply.verdict = read ? kubernetes::verdict::good : kubernetes::verdict::failed;
                    if (!read) reply.why = read.failure();
                    done(std::move(reply));
                });
        });
    };
    const auto add_scaler = [](kubernetes::scaled_object object, auto& to) {
        if (object.facts.deleting) return;
        object.manifest.clear();
        to.insert_or_assign(object.facts.key, std::move(object));
    };
    const auto add_authentication = [&seen](dom::object object, bool is_cluster_wide) {
        kubernetes::authentication authentication = kubernetes::read_authentication(object, is_cluster_wide);
        seen.authentications.insert_or_assign(authentication.facts.key, std::move(authentication));
    };
    const std::vector<std::string> everywhere{{}};
    for (const std::string& space : settings.namespaces.empty() ? everywhere : settings.namespaces) {
        list("scaledobjects", space, settings.selector, [&](dom::object object) {
            add_scaler(kubernetes::read_scaled_object(object, settings.owner), seen.scaled_objects);
        });
        list("scaledjobs", space, settings.selector, [&](dom::object object) {
            add_scaler(kubernetes::read_scaled_job(object, settings.owner), seen.scaled_jobs);
        });
        list("triggerauthentications", space, {}, [&](dom::object object) { add_authentication(object, false); });
    }
    list("clustertriggerauthentications", {}, {}, [&](dom::object object) { add_authentication(object, true); });
    const std::vector<kubernetes::reply> replies = ask.run(std::move(lists));
    seen.unread.assign(unread.begin(), unread.end());
    for (std::size_t i = 0; i < replies.size(); ++i) {
        if (replies[i].verdict == kubernetes::verdict::good) continue;
        seen.unread.push_back(format_text("the list of {}: {}", plurals[i], replies[i].why.message));
    }
    sort_stably(seen.unread);
    for (const auto& [name, object] : seen.scaled_objects) {
        const group_kind wanted = kind_of(object.target);
        if (!is_usual(wanted)) custom.insert(wanted);
    }
    for (const group_kind& wanted : custom) seen.resources.emplace(wanted, find_kind(wanted, ask));
    return seen;
}

}  // namespace gputide::doctor
