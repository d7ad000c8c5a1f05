#include "manifest/names.hpp"

#include "base/format_text.hpp"
#include "base/stable_order.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace gputide::manifest {

std::string_view kind_text(document_kind kind) {
    static constexpr std::array<std::string_view, 8> names{"ScaledObject",
                                                           "HorizontalPodAutoscaler",
                                                           "TriggerAuthentication",
                                                           "ClusterTriggerAuthentication",
                                                           "Secret",
                                                           "ConfigMap",
                                                           "ScaledJob",
                                                           "TokenRequest"};
    return names[static_cast<std::size_t>(kind)];
}

std::string object_identity::text() const {
    return format_text("{} {}{}{}", kind_text(kind), name_space, name_space.empty() ? "" : "/", name);
}

namespace {

constexpr std::size_t max_subdomain_bytes = 253;

bool is_small_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool has_label_shape(std::string_view text) {
    return !text.empty() && is_small_or_digit(text.front()) && is_small_or_digit(text.back()) &&
           std::ranges::all_of(text, [](char c) { return is_small_or_digit(c) || c == '-'; });
}

void refuse(mapping& fields, const std::string& key, std::string_view value, std::string_view rule) {
    fields.error(key, "invalid-value",
                 format_text("{}: {} is not a name that Kubernetes accepts: {}", key, in_quotes(value), rule),
                 "write it as the cluster has it");
}

}  // namespace

bool is_dns_label(std::string_view name) { return name.size() <= max_label_bytes && has_label_shape(name); }

bool is_dns_subdomain(std::string_view name) {
    if (name.size() > max_subdomain_bytes) return false;
    for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
        if (!has_label_shape(name.substr(0, dot))) return false;
        name.remove_prefix(dot + 1);
    }
    return has_label_shape(name);
}

bool is_api_version(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return is_dns_label(text);
    return is_dns_subdomain(text.substr(0, slash)) && is_dns_label(text.substr(slash + 1));
}

bool is_kind(std::string_view text) { return is_dns_label(lower(text)); }

void check_dns_label(mapping& fields, const std::string& key, std::string_view name) {
    if (name.empty() || is_dns_label(name)) return;
    refuse(fields, key, name,
           "a lowercase RFC 1123 label consists of lower case alphanumeric characters or '-', starts and ends with an "
           "alphanumeric character, and has at most 63");
}

void check_dns_subdomain(mapping& fields, const std::string& key, std::string_view name) {
    if (name.empty() || is_dns_subdomain(name)) return;
    refuse(fields, key, name,
           "a lowercase RFC 1123 subdomain consists of lower case alphanumeric characters, '-' or '.', starts and ends "
           "with an alphanumeric character, and has at most 253");
}

void check_target_type(mapping& fields, std::string_view api_version, std::string_view kind) {
    if (!api_version.empty() && !is_api_version(api_version)) {
        refuse(fields, "apiVersion", api_version, "it is a version, or a group and a version such as apps/v1");
    }
    if (!kind.empty() && !is_kind(kind)) refuse(fields, "kind", kind, "it is a word such as Deployment");
}

namespace {

constexpr std::string_view separators = "=!(),<> \t\r\n";
constexpr std::string_view signs = separators.substr(0, 7);
constexpr std::string_view blanks = separators.substr(7);

bool is_letter_or_digit(char c) { return is_letter(c) || is_digit(c); }

// Tells whether a text is valid in a label: apimachinery pkg/util/validation/validation.go, IsValidLabelValue and the name
// part of IsQualifiedName.
bool is_label_text(std::string_view text) {
    const auto is_inner = [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.'; };
    return !text.empty() && text.size() <= max_label_bytes && is_letter_or_digit(text.front()) &&
           is_letter_or_digit(text.back()) && std::ranges::all_of(text, is_inner);
}

bool is_label_value(std::string_view text) { return text.empty() || is_label_text(text); }

bool is_label_key(std::string_view key) {
    const std::size_t slash = key.find('/');
    if (slash == std::string_view::npos) return is_label_text(key);
    return is_dns_subdomain(key.substr(0, slash)) && is_label_text(key.substr(slash + 1));
}

// Tells whether strconv.ParseInt(value, 10, 64) accepts the value, which as a label's value has no sign.
bool is_whole(std::string_view text) {
    constexpr std::size_t max_digits = 19;
    return !text.empty() && text.size() <= max_digits && std::ranges::all_of(text, is_digit);
}

class query_reader {
  public:
    explicit query_reader(std::string_view text) : all_(text), rest_(text) {}

    result<std::vector<label_requirement>> read() {
        std::vector<label_requirement> out;
        if (peek().empty()) return out;
        do {
            auto next = requirement();
            if (!next) return next.take_failure();
            out.push_back(*std::move(next));
        } while (take(","));
        if (!peek().empty()) return unexpected("',' or the end");
        return out;
    }

  private:
    // Returns the next word or symbol; "" at the end.
    std::string_view peek() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size()));
        if (rest_.empty()) return {};
        for (const std::string_view two : {"==", "!="}) {
            if (rest_.substr(0, two.size()) == two) return two;
        }
        if (signs.find(rest_.front()) != std::string_view::npos) return rest_.substr(0, 1);
        const std::size_t end = rest_.find_first_of(separators);
        return rest_.substr(0, end);
    }

    bool take(std::string_view token) {
        if (peek() != token) return false;
        rest_.remove_prefix(token.size());
        return true;
    }

    // Returns the next word; nothing before a symbol and at the end.
    std::optional<std::string> word() {
        const std::string_view next = peek();
        if (next.empty() || signs.find(next.front()) != std::string_view::npos) return std::nullopt;
        rest_.remove_prefix(next.size());
        return std::string(next);
    }

    error unexpected(std::string_view expected) {
        const std::string_view next = peek();
        return fail(error_class::config, "couldn't parse the selector string {}: found {}, expected: {}",
                    in_quotes(all_), next.empty() ? "its end" : in_quotes(next), expected);
    }

    error refused(std::string_view what, std::string_view text, std::string_view rule) {
        return fail(error_class::config, "couldn't parse the selector string {}: {} {} {}", in_quotes(all_), what,
                    in_quotes(text), rule);
    }

    result<label_requirement> requirement() {
        label_requirement out;
        if (take("!")) out.op = label_operator::absent;
        std::optional<std::string> key = word();
        if (!key) return unexpected("a label's key");
        if (!is_label_key(*key)) return refused("the key", *key, "is not a label's key");
        out.key = *std::move(key);
        if (out.op == label_operator::absent || peek().empty() || peek() == ",") return out;
        if (take("in")) return list_of(std::move(out), label_operator::in);
        if (take("notin")) return list_of(std::move(out), label_operator::not_in);
        if (take("=") || take("==")) return value_of(std::move(out), label_operator::equal);
        if (take("!=")) return value_of(std::move(out), label_operator::not_equal);
        if (take(">")) return value_of(std::move(out), label_operator::above);
        if (take("<")) return value_of(std::move(out), label_operator::below);
        return unexpected("in, notin, =, ==, !=, > or <");
    }

    result<label_requirement> value_of(label_requirement to, label_operator op) {
        to.op = op;
        const bool is_left_out = peek().empty() || peek() == ",";
        std::optional<std::string> value = is_left_out ? std::string() : word();
        if (!value) return unexpected("a value");
        if (!is_label_value(*value)) return refused("the value", *value, "is not a label's value");
        if ((op == label_operator::above || op == label_operator::below) && !is_whole(*value))
            return refused("the value", *value, "is not an integer, as '>' and '<' need it");
        to.values.push_back(*std::move(value));
        return to;
    }

    // Parses a list of values.  A missing value, as in "()" and "(a,)", is the empty value; as upstream, "(a,,)" is rejected.
    result<label_requirement> list_of(label_requirement to, label_operator op) {
        to.op = op;
        if (!take("(")) return unexpected("'('");
        while (peek() != ")" || to.values.empty()) {
            if (std::optional<std::string> value = word()) {
                if (!is_label_value(*value)) return refused("the value", *value, "is not a label's value");
                to.values.push_back(*std::move(value));
                if (peek() != "," && peek() != ")") return unexpected("',' or ')'");
            } else if (take(",")) {
                if (to.values.empty() || peek() == ")") to.values.emplace_back();
                if (take(",")) {
                    to.values.emplace_back();
                    if (peek() == ")") return unexpected("a value");
                }
            } else if (peek() == ")") {
                to.values.emplace_back();
            } else {
                return unexpected("a value");
            }
        }
        take(")");
        return to;
    }

    std::string_view all_;
    std::string_view rest_;
};

}  // namespace

result<std::vector<label_requirement>> read_label_query(std::string_view text) { return query_reader(text).read(); }

namespace {

struct requirement {
    std::string key;
    std::string query;
};

// kubernetes/apimachinery pkg/apis/meta/v1/generated.pb.go LabelSelector.String, LabelSelectorRequirement.String @v0.37.2:
// &LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{},}
std::string shown_expression(std::string_view key, std::string_view name, std::string values) {
    std::replace(values.begin(), values.end(), ',', ' ');
    return format_text("LabelSelectorRequirement{Key:{},Operator:{},Values:[{}],},", key, name, values);
}

constexpr std::string_view shown_labels = "&LabelSelector{MatchLabels:map[string]string{";
constexpr std::string_view shown_expressions = "},MatchExpressions:[]LabelSelectorRequirement{";
constexpr std::string_view shown_end = "},}";

// Reads an expression; also appends it to `shown`.
requirement read_expression(const cursor& at, report& findings, std::string& shown) {
    mapping fields(at, findings);
    requirement out;
    out.key = fields.required_text("key");
    const std::string op = fields.required_text("operator");
    std::string values;
    for (const cursor& value : fields.list("values").value_or(std::vector<cursor>{}))
        append_item(values, scalar_text(*value.at).value_or(""), ",");
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
        all.push_back({key, format_text("{}={}", key, value)});
        labels += format_text("{}: {},", key, value);
    }
    for (const cursor& item : selector.list("matchExpressions").value_or(std::vector<cursor>{})) {
        all.push_back(read_expression(item, findings, expressions));
    }
    selector.finish();
    sort_stably(all, [](const requirement& a, const requirement& b) { return a.key < b.key; });
    label_selector out;
    for (const requirement& entry : all) append_item(out.query, entry.query, ",");
    out.shown = format_text("{}{}{}{}{}", shown_labels, labels, shown_expressions, expressions, shown_end);
    return out;
}

void append_keda_selector(std::string& out, std::string_view scaled_object, std::string label_selector::*form) {
    constexpr std::string_view key = "scaledobject.keda.sh/name";
    if (form == &label_selector::query) {
        out.append(key).append("=").append(scaled_object);
        return;
    }
    out.append(shown_labels).append(key).append(": ").append(scaled_object).append(",");
    out.append(shown_expressions).append(shown_end);
}

}  // namespace gputide::manifest
