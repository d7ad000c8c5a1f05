#include "base/format_text.hpp"
#include "base/json_split.hpp"
#include "base/text.hpp"
#include "nodes/read/values.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace gputide::nodes {
namespace {

using text::report;
using text::severity;

// Tells whether a member is a list of cluster objects; other lists belong to their object.
bool holds_items(std::string_view member) {
    static constexpr std::array<std::string_view, 8> lists{
        "agentPoolProfiles", "events", "groups", "items", "nodes", "pods", "pools", "value"};
    return is_one_of(member, lists);
}

// Members of Kubernetes' objects that no plan uses and that are long.
constexpr std::array<std::string_view, 1> unused_of_metadata{"managedFields"};
constexpr std::array<std::string_view, 1> unused_of_annotations{"kubectl.kubernetes.io/last-applied-configuration"};
constexpr std::array<std::string_view, 1> unused_of_spec{"ephemeralContainers"};
constexpr std::array<std::string_view, 6> unused_of_status{"addresses", "hostIPs",         "images",
                                                           "podIPs",    "volumesAttached", "volumesInUse"};
constexpr std::array<std::string_view, 4> unused_of_volumes{"configMap", "downwardAPI", "projected", "secret"};
constexpr std::array<std::string_view, 9> unused_of_containers{
    "env",          "envFrom",     "image", "lifecycle", "livenessProbe", "readinessProbe", "securityContext",
    "startupProbe", "volumeMounts"};
constexpr std::array<std::string_view, 6> unused_of_statuses{"containerID", "image", "imageID",
                                                             "lastState",   "state", "volumeMounts"};

struct unused_members {
    std::string_view within;
    std::span<const std::string_view> names;
};

constexpr std::array<unused_members, 9> unused{{{"metadata", unused_of_metadata},
                                                {"annotations", unused_of_annotations},
                                                {"spec", unused_of_spec},
                                                {"status", unused_of_status},
                                                {"volumes", unused_of_volumes},
                                                {"containers", unused_of_containers},
                                                {"initContainers", unused_of_containers},
                                                {"containerStatuses", unused_of_statuses},
                                                {"initContainerStatuses", unused_of_statuses}}};

bool is_unused(std::string_view within, std::string_view member) {
    const auto at =
        std::ranges::find_if(unused, [&](const unused_members& members) { return members.within == within; });
    return at != unused.end() && is_one_of(member, at->names);
}

// Tells whether a text is JSON: a brace and a quote, or only braces.  Keys of a YAML flow mapping are not quoted.
bool starts_as_json(std::string_view text) {
    text = trim(text);
    if (!text.starts_with('{')) return false;
    text = trim(text.substr(1));
    return text.empty() || text.front() == '"' || text.front() == '}';
}

// Moves a part's findings to its position in the text.
void move_findings(report& from, const text_part& part, std::string_view path, report& report) {
    for (text::finding& finding : from.findings) {
        if (part.line == 0) finding.at.line = finding.at.column = 0;
        if (finding.at.line == 1) finding.at.column += part.column - 1;
        if (finding.at.line > 0) finding.at.line += part.line - 1;
        if (finding.at.path.empty()) finding.at.path = path;
        report.add(finding.severity, finding.code, std::move(finding.at), finding.message, finding.remedy);
    }
}

// Sets the nodes of a part to its lines.
void move_lines(text::node& node, const text_part& part) {
    if (part.line == 0) node.line = node.column = 0;  // lists were removed above it
    if (node.line == 1) node.column += part.column - 1;
    if (node.line > 0) node.line += part.line - 1;
    for (text::node& child : node.children) move_lines(child, part);
}

// Splits a tree that was parsed as a whole.
void give_tree(std::string_view, const text::cursor& root, function_ref<void(const text_item&)> take) {
    for (const text::node& member : root.at->children) {
        if (root.at->kind != text::node_kind::mapping || member.kind != text::node_kind::sequence) continue;
        if (!holds_items(member.key)) continue;
        const text::cursor list = root.child(member);
        for (std::size_t i = 0; i < member.children.size(); ++i) take({member.key, list.item(i)});
    }
    take({"", root});
}

class json_items {
  public:
    json_items(const std::string& file, report& findings, function_ref<void(const text_item&)> take)
        : file_(file), findings_(findings), take_(take) {}

    // One object after the other, as in concatenated files; anything else is read as YAML.
    void read(std::string_view text) {
        std::int32_t line = 1;
        while (!text.empty()) {
            std::size_t behind = 0;
            std::size_t counted = 0;  // its lines are in `line`
            if (starts_as_json(text)) {
                const split_text parts = split_lists(text, &holds_items, line);
                give_parts(parts);
                behind = counted = parts.behind;
                line = parts.last_line;
            } else {
                behind = begin_of_json(text);
                give(part_of(text.substr(0, behind), line), "", &give_tree);
            }
            behind = begin_of_next(text, behind);
            const std::string_view passed = text.substr(counted, behind - counted);
            line += static_cast<std::int32_t>(std::count(passed.begin(), passed.end(), '\n'));
            text.remove_prefix(behind);
        }
    }

  private:
    // "---" between two documents has no more meaning than the next brace.
    static std::size_t begin_of_next(std::string_view text, std::size_t from) {
        from = std::min(text.find_first_not_of(" \t\r\n", from), text.size());
        return text.substr(from).starts_with("---") ? from + 3 : from;
    }

    // Returns where YAML ends and a JSON document begins.
    static std::size_t begin_of_json(std::string_view text) {
        constexpr std::string_view mark = "\n---";
        for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + mark.size())) {
            if (starts_as_json(text.substr(at + mark.size()))) return at + 1;
        }
        return text.size();
    }

    static text_part part_of(std::string_view text, std::int32_t line) {
        text_part out;
        out.text = text;
        out.line = line;
        out.column = 1;
        return out;
    }

    void give_parts(const split_text& parts) {
        for (const text_part& item : parts.items) {
            const std::string path = format_text("{}[{}]", item.member, item.index);
            if (item.cut) {
                findings_.add(severity::error, "cut-text", {file_, item.line, item.column, path},
                              "the text ends inside this item; it and what followed it are not in the plan",
                              "read the list again: it was cut on its way");
            } else {
                give(item, path, &give_item);
            }
        }
        give(part_of(parts.rest, parts.items.empty() ? parts.first_line : 0), "", &give_item);
        if (parts.cut && (parts.items.empty() || !parts.items.back().cut))
            findings_.add(severity::error, "cut-text", {file_, 0, 0, ""},
                          "the text ends before its last bracket closes", "read it again: it was cut on its way");
    }

    using giver = void (*)(std::string_view member, const text::cursor& root,
                           function_ref<void(const text_item&)> take);

    static void give_item(std::string_view member, const text::cursor& root,
                          function_ref<void(const text_item&)> take) {
        take({member, root});
    }

    void give(const text_part& part, const std::string& path, giver give_root) {
        report own;
        std::vector<text::document> documents = text::read_documents(file_, part.text, own, &is_unused);
        move_findings(own, part, path, findings_);
        for (text::document& document : documents) {
            if (part.line != 1 || part.column > 1) move_lines(document.root, part);
            give_root(part.member, {&document.root, &file_, path}, take_);
        }
    }

    const std::string& file_;
    report& findings_;
    function_ref<void(const text_item&)> take_;
};

}  // namespace

void read_items(const std::string& file, std::string_view text, report& findings,
                function_ref<void(const text_item&)> take) {
    if (text.size() > max_text_bytes) {
        findings.add(severity::error, "too-large", {file, 0, 0, ""},
                     format_text("the text has {} bytes, at most {} are read", text.size(), max_text_bytes),
                     "leave out what no plan needs, such as managed fields");
        return;
    }
    json_items(file, findings, take).read(text);
}

}  // namespace gputide::nodes
