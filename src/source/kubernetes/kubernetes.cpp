// Joins the pure parts of the kubernetes source.
#include "source/kubernetes/kubernetes.hpp"

#include "source/exchange.hpp"
#include "source/kubernetes/access.hpp"
#include "source/kubernetes/metrics.hpp"
#include "source/kubernetes/reading.hpp"
#include "source/kubernetes/settings.hpp"
#include "source/kubernetes/version.hpp"
#include "source/question.hpp"
#include "source/target.hpp"

#include <memory>
#include <utility>

namespace gputide::source::kubernetes {
namespace {

// All that the closures of a question share.
struct shared {
    settings what;
    access at;
    custom_version version;

    shared(settings asked, access reached)
        : what(std::move(asked)), at(std::move(reached)), version(fixed_version(what)) {
        if (what.name_space.empty()) what.name_space = at.name_space;
    }

    endpoint asked() const { return endpoint_of(what, version.now()); }

  private:
    static std::string fixed_version(const settings& of) {
        return of.api == api::custom ? of.version : std::string(oldest_custom_version);
    }
};

std::string key_of(const shared& of) {
    return "kubernetes\n" + of.at.server + endpoint_of(of.what, of.what.version).url() + "\n" + of.what.metric + "\n" +
           of.what.container + "\n" + of.what.reduction.reduce;
}

reading read_into(const shared& by, reading from) {
    if (!by.at.verified) from.warnings.emplace_back(unverified_text);
    return from;
}

}  // namespace

result<std::shared_ptr<metric_source>> open(const config::trigger& from, const config::trigger_rules& rules,
                                            config::profile, const services& with, config::report* findings) {
    auto what = read_settings(from, rules, findings);
    if (!what) return std::move(what).failure();
    auto at = open_access(with);
    if (!at) return at_trigger(std::move(at).failure(), from);
    warn_unverified(*at, from.at, from.label(), findings);
    const auto by = at->by;
    const auto all = std::make_shared<shared>(*std::move(what), *std::move(at));
    question asked;
    asked.target = all->what.target;
    asked.key = key_of(*all);
    asked.label = from.label();
    asked.retry = one_safe_repeat();
    asked.build = [all](std::int64_t) { return request_for(all->at, all->asked()); };
    asked.read = [all](const http::answer& got) -> result<reading> {
        auto read = read_answer(got, all->what, all->asked());
        if (!read) return std::move(read).failure();
        return read_into(*all, *std::move(read));
    };
    asked.judge = [all](const reading& got) { return judge(got, all->what); };
    asked.first = {
        [all](std::int64_t steady_ms) { return all->version.due(steady_ms); },
        [all] { return request_for(all->at, group_versions(custom_group)); },
        [all](const http::answer& got, std::int64_t steady_ms) { return all->version.learn(got, steady_ms); }};
    asked.max_age_ms = all->what.max_age_ms;
    asked.age_remedy = "check whether the adapter still gets samples; what it stamps with its own time never looks old";
    return made(std::move(asked), by, with);
}

}  // namespace gputide::source::kubernetes
