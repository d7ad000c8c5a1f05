#include "manifest/label_selector.hpp"

#include "base/format_text.hpp"
#include "base/stable_order.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace gputide::manifest {
namespace {

struct requirement {
    std::string key;
    std::string query;
};

// kubernetes/apimachinery pkg/apis/meta/v1/generated.pb.go LabelSelector.String, LabelSelectorRequirement.String @v0.37.2:
// &LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{},}
std::string shown_label(std::string_view key, std::string_view value) { return format_text("{}: {},", key, value); }

std::string shown_expression(std::string_view key, std::string_view name, std::string values) {
    std::replace(values.begin(), values.end(), ',', ' ');
    return format_text("LabelSelectorRequirement{Key:{},Operator:{},Values:[{}],", key, name, values) + "},";
}

std::string shown_selector(const std::string& labels, const std::string& expressions) {
    return "&LabelSelector{MatchLabels:map[string]string{" + labels + "},MatchExpressions:[]LabelSelectorRequirement{" +
           expressions + "},}";
}

requirement equal_to(const std::string& key, const std::string& value) {
    requirement out{key, key};
    out.query += '=';
    out.query += value;
    return out;
}

// Reads an expression; also appends it to `shown`.
requirement read_expression(const cursor& at, report& findings, std::string& shown) {
    mapping fields(at, findings);
    requirement out;
    out.key = fields.required_text("key");
    const std::string op = fields.required_text("operator");
    std::string values;
    for (const cursor& value : fields.list("values").value_or(std::vector<cursor>{})) {
        if (!values.empty()) values += ',';
        values += scalar_text(*value.at).value_or("");
    }
    fields.finish();
    if (op == "In") out.query = format_text("{} in ({})", out.key, values);
    if (op == "NotIn") out.query = format_text("{} notin ({})", out.key, values);
    if (op == "Exists") out.query = out.key;
    if (op == "DoesNotExist") out.query = "!" + out.key;
    if (out.query.empty() && !op.empty()) {
        fields.error("operator", "invalid-value", format_text("operator: {} is not known", in_quotes(op)),
                     "write In, NotIn, Exists or DoesNotExist");
    }
    shown += shown_expression(out.key, op, std::move(values));
    return out;
}

}  // namespace

label_selector read_label_selector(const cursor& block, report& findings) {
    mapping selector(block, findings);
    std::vector<requirement> all;
    std::string labels, expressions;
    for (const auto& [key, value] : selector.texts("matchLabels")) {
        all.push_back(equal_to(key, value));
        labels += shown_label(key, value);
    }
    for (const cursor& item : selector.list("matchExpressions").value_or(std::vector<cursor>{})) {
        all.push_back(read_expression(item, findings, expressions));
    }
    selector.finish();
    sort_stably(all, [](const requirement& a, const requirement& b) { return a.key < b.key; });
    label_selector out;
    for (const requirement& entry : all) {
        if (!out.query.empty()) out.query += ',';
        out.query += entry.query;
    }
    out.shown = shown_selector(labels, expressions);
    return out;
}

label_selector label_selector_of(const std::string& key, const std::string& value) {
    return {equal_to(key, value).query, shown_selector(shown_label(key, value), {})};
}

}  // namespace gputide::manifest
