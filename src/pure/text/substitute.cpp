// Replacement of ${NAME} in the values of a tree.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "text/environment.hpp"

#include <utility>

namespace gputide::text {
namespace {

bool starts_name(char c) { return is_letter(c) || c == '_'; }
bool in_name(char c) { return starts_name(c) || is_digit(c); }

class substitution {
  public:
    substitution(const environment_lookup& environment, const std::function<bool(std::string_view)>& skip,
                 report& findings, std::size_t& grown)
        : environment_(environment), skip_(skip), findings_(findings), grown_(grown) {}

    void visit(node& parent, const cursor& cursor) {
        if (grown_ > max_bytes) return;
        if (parent.kind == node_kind::scalar) return value(parent, cursor);
        for (std::size_t i = 0; i < parent.children.size(); ++i) {
            node& child = parent.children[i];
            if (skip_ && skip_(child.key)) continue;
            visit(child, parent.kind == node_kind::mapping ? cursor.child(child) : cursor.item(i));
        }
    }

  private:
    static constexpr std::size_t max_bytes = 4 * limits::manifest_bytes;

    void value(node& node, const cursor& cursor) {
        if (node.text.find("${") == std::string::npos) return;
        std::string out;
        std::string_view rest = node.text;
        for (std::size_t dollar = rest.find('$'); dollar != std::string_view::npos; dollar = rest.find('$')) {
            out += rest.substr(0, dollar);
            rest.remove_prefix(dollar);
            rest.remove_prefix(step(rest, cursor, out, node));
        }
        out += rest;
        grown_ += out.size();
        if (grown_ > max_bytes) {
            findings_.add(severity::error, "substitution", cursor.where(), "the values of ${...} are too large",
                          "use fewer or shorter values", error_class::limit);
            return;
        }
        node.text = std::move(out);
    }

    // Expands a placeholder at the start of the text, which starts with '$': appends to `out` and returns the number of bytes
    // consumed.
    std::size_t step(std::string_view text, const cursor& cursor, std::string& out, node& node) {
        if (text.substr(0, 3) == "$${") {
            out += "${";
            return 3;
        }
        std::size_t end = 2;
        if (text.substr(0, 2) == "${" && text.size() > 2 && starts_name(text[2])) {
            while (end < text.size() && in_name(text[end])) ++end;
        }
        if (end == 2) {
            out += '$';
            return 1;
        }
        const std::string name(text.substr(2, end - 2));
        if (end >= text.size() || text[end] != '}') {
            findings_.add(
                severity::error, "substitution", cursor.where(), format_text("${{} is not closed by }", name),
                format_text("write ${{}}; defaults and other forms are not supported; $${ is a literal ${", name));
            out += text.substr(0, end);
            return end;
        }
        put(name, cursor, out, node);
        return end + 1;
    }

    void put(const std::string& name, const cursor& cursor, std::string& out, node& node) {
        const variable answer = look_up(environment_, name);
        if (!answer.is_allowed) {
            findings_.add(severity::error, "environment-not-allowed", cursor.where(),
                          format_text("{}; ${{}} is not replaced", not_allowed_text(name, answer), name),
                          format_text("{}, or write the value; $${ is a literal ${", how_to_allow));
            out += format_text("${{}}", name);
            return;
        }
        const std::optional<std::string>& found = answer.value;
        if (!found) {
            findings_.add(severity::error, "unset-variable", cursor.where(),
                          format_text("the environment variable {} is not set", name),
                          format_text("export {} before the program starts, or write $${{}} for a literal ${{}}", name,
                                      name, name));
            return;
        }
        if (!valid_utf8(*found)) {
            findings_.add(severity::error, "substitution", cursor.where(),
                          format_text("the environment variable {} is not valid UTF-8", name), "set it to plain text");
            return;
        }
        node.substituted = true;
        findings_.values.emplace_back(*found);
        out += *found;
    }

    const environment_lookup& environment_;
    const std::function<bool(std::string_view)>& skip_;
    report& findings_;
    std::size_t& grown_;
};

}  // namespace

void substitute(node& root, const cursor& top, const environment_lookup& environment,
                const std::function<bool(std::string_view key)>& skip, report& findings, std::size_t* spent) {
    std::size_t own = 0;
    substitution(environment, skip, findings, spent == nullptr ? own : *spent).visit(root, top);
}

}  // namespace gputide::text
