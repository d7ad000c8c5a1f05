#include "manifest/keda_operator.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "text/document.hpp"
#include "text/report.hpp"

#include <algorithm>
#include <utility>

namespace gputide::manifest {

using namespace text;
namespace {

// Returns the error for an operator that a selector of KEDA's operator must not have, with KEDA's text.
std::string_view refusal_of(label_operator op) {
    if (op == label_operator::not_equal) return "\"!=\" is not a valid label selector operator";
    if (op == label_operator::above) return "\"gt\" isn't supported in label selectors";
    if (op == label_operator::below) return "\"lt\" isn't supported in label selectors";
    return {};
}

// Keeps only the last `=` requirement of each label, as KEDA's operator does.
void keep_last_values(std::vector<label_requirement>& selector) {
    for (auto entry = selector.begin(); entry != selector.end();) {
        const bool is_replaced = entry->op == label_operator::equal &&
                                 std::any_of(entry + 1, selector.end(), [&](const label_requirement& later) {
                                     return later.op == label_operator::equal && later.key == entry->key;
                                 });
        entry = is_replaced ? selector.erase(entry) : entry + 1;
    }
}

bool has_label(const label_requirement& requirement, const std::map<std::string, std::string>& labels) {
    const auto label = labels.find(requirement.key);
    const bool is_there = label != labels.end();
    if (requirement.op == label_operator::exists) return is_there;
    if (requirement.op == label_operator::absent) return !is_there;
    const bool is_listed = is_there && std::ranges::find(requirement.values, label->second) != requirement.values.end();
    return is_listed != (requirement.op == label_operator::not_in);
}

}  // namespace

result<std::vector<label_requirement>> read_watch_selector(std::string_view text) {
    auto out = read_label_query(text);
    std::string why = out ? std::string() : out.failure().message;
    for (std::size_t i = 0; out && why.empty() && i < out->size(); ++i) why = refusal_of((*out)[i].op);
    if (!why.empty())
        return fail(error_class::config, "invalid {} {}: {}", watch_selector_variable, in_quotes(text), why);
    keep_last_values(*out);
    return out;
}

bool has_labels(const std::vector<label_requirement>& selector, const std::map<std::string, std::string>& labels) {
    return std::ranges::all_of(selector,
                               [&](const label_requirement& requirement) { return has_label(requirement, labels); });
}

namespace {

error unusable_list(std::string_view why) { return fail(error_class::config, "{} {}", token_audiences_variable, why); }

// Copies a member's text into the field of that name; returns the error, or "".
std::string take_member(const node& member, token_audience& to) {
    std::string* into = nullptr;
    if (member.key == "audience") into = &to.audience;
    if (member.key == "namespace") into = &to.name_space;
    if (member.key == "serviceAccountName") into = &to.account;
    if (into == nullptr)
        return format_text("has the unknown member {}: expected audience, namespace and serviceAccountName",
                           in_quotes(member.key));
    if (is_null(member)) return {};
    if (member.kind != node_kind::scalar || type_of(member) != scalar_type::text)
        return format_text("has {} as {}: expected text", kind_name(member), member.key);
    *into = member.text;
    return {};
}

std::string fault_in(const token_audience& audience) {
    if (audience.audience.empty() || trim(audience.audience).size() != audience.audience.size())
        return "has an audience that is empty or begins or ends with a blank";
    if (audience.name_space.empty() && audience.account.empty()) return {};
    if (!is_dns_label(audience.name_space) || !is_dns_subdomain(audience.account))
        return "needs exact names of a namespace and a service account, both or neither; wildcards are not supported";
    return {};
}

auto is_of(std::string_view name_space, std::string_view account) {
    return [=](const token_audience& audience) {
        return !audience.account.empty() && audience.name_space == name_space && audience.account == account;
    };
}

result<std::vector<token_audience>> read_list(const node& list) {
    if (list.kind != node_kind::sequence) return unusable_list(format_text("must be a list, got {}", kind_name(list)));
    std::vector<token_audience> out;
    for (const node& item : list.children) {
        if (item.kind != node_kind::mapping)
            return unusable_list(format_text("must be a list of mappings, got {} in it", kind_name(item)));
        token_audience audience;
        for (const node& member : item.children) {
            if (const std::string fault = take_member(member, audience); !fault.empty()) return unusable_list(fault);
        }
        if (const std::string fault = fault_in(audience); !fault.empty()) return unusable_list(fault);
        if (!audience.account.empty() && std::ranges::any_of(out, is_of(audience.name_space, audience.account)))
            return unusable_list(
                format_text("has two audiences for the account {}/{}", audience.name_space, audience.account));
        out.push_back(std::move(audience));
    }
    return out;
}

}  // namespace

result<std::vector<std::string>> token_policy::audiences_for(std::string_view name_space,
                                                             std::string_view account) const {
    if (mode == token_mode::legacy) return std::vector<std::string>();
    const auto found = std::ranges::find_if(audiences, is_of(name_space, account));
    if (found != audiences.end()) return std::vector<std::string>{found->audience};
    return fail(status::invalid, "no configured token audience for service account {}/{} in {}", name_space, account,
                token_audiences_variable);
}

result<token_policy> read_token_policy(std::string_view mode, std::string_view audiences) {
    token_policy out;
    if (mode == "legacy") {
        out.mode = token_mode::legacy;
    } else if (!mode.empty() && mode != "enforce-audience") {
        return fail(error_class::config,
                    "unsupported service-account-token-mode {}: expected enforce-audience or legacy", in_quotes(mode));
    }
    if (trim(audiences).empty()) return out;
    report findings;
    const std::vector<document> documents = read_documents(token_audiences_variable, audiences, findings);
    if (findings.count(severity::error) > 0) return unusable_list("cannot be read: " + findings.as_error().message);
    if (documents.empty()) return unusable_list("must be a list, not null");
    if (documents.size() > 1) return unusable_list("must hold one YAML or JSON document");
    auto list = read_list(documents.front().root);
    if (!list) return list.take_failure();
    out.audiences = *std::move(list);
    if (out.mode == token_mode::legacy && !out.audiences.empty())
        return unusable_list("and service-account-token-mode legacy exclude each other");
    return out;
}

}  // namespace gputide::manifest
