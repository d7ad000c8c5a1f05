// JSON by simdjson's on-demand interface, over a padded copy. simdjson does not count lines: the address of a token in the
// copy gives its offset, and the offsets of the line ends give line and column.
#include "base/json_memory.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"
#include "text/document.hpp"

#include <simdjson.h>

#include <string>
#include <utility>

namespace gputide::text {
namespace {

namespace ondemand = simdjson::ondemand;

// simdjson selects its implementation on first use.  This selects it when the library is loaded: a child forked during the
// first use would wait forever for a thread of its parent.
const std::string kernel = simdjson::get_active_implementation()->name();

// Explains simdjson's error codes to the author of the text.
std::string explain(simdjson::error_code code) {
    switch (code) {
        case simdjson::TAPE_ERROR:
        case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
            return "a comma, colon, bracket, key or value is missing or superfluous here";
        case simdjson::INCORRECT_TYPE:
        case simdjson::T_ATOM_ERROR:
        case simdjson::F_ATOM_ERROR:
        case simdjson::N_ATOM_ERROR:
        case simdjson::SCALAR_DOCUMENT_AS_VALUE:
            return "expected text in double quotes, a number, true, false, null, { or [";
        case simdjson::NUMBER_ERROR:
            return "expected a JSON number such as 5, -1.5 or 1e3";
        case simdjson::STRING_ERROR:
            return "a string contains a line break or an invalid escape";
        case simdjson::UNCLOSED_STRING:
            return "a string is not closed by a double quote";
        default:
            return simdjson::error_message(code);
    }
}

class json_tree {
  public:
    json_tree(std::string_view text, member_filter is_unused) : bytes_(padded_copy(text)), is_unused_(is_unused) {
        for (std::size_t at = text.find('\n'); at < text.size(); at = text.find('\n', at + 1)) line_ends_.push_back(at);
    }
    json_tree(const json_tree&) = delete;
    json_tree& operator=(const json_tree&) = delete;
    ~json_tree() {
        wipe(bytes_.data(), bytes_.size());
        wipe(unescaped_);
    }
    read_text read();

  private:
    struct spot {
        std::int32_t line = 1;
        std::int32_t column = 1;
    };

    spot spot_of(const char* at);
    spot here();
    bool refuse(syntax_error why);
    bool refuse(simdjson::error_code code);
    // within: as in member_filter.
    bool value(ondemand::value value, std::size_t depth, std::string_view within, node& out);
    bool object(ondemand::value value, std::size_t depth, std::string_view within, node& out);
    bool array(ondemand::value value, std::size_t depth, std::string_view within, node& out);
    bool scalar(ondemand::value value, ondemand::json_type type, node& out);
    simdjson::simdjson_result<std::string_view> unescaped(ondemand::raw_json_string quoted);

    simdjson::padded_string bytes_;
    member_filter is_unused_;
    std::vector<std::size_t> line_ends_;
    std::size_t line_ = 0;  // of the last spot, from 0
    ondemand::parser parser_;
    std::string unescaped_;  // simdjson 3.0 does not detect that its own buffer could not be allocated
    ondemand::document document_;
    bool begun_ = false;
    budget spent_;
    std::optional<syntax_error> failure_;
};

// Searches from the last spot: tokens come in the order of the text.
json_tree::spot json_tree::spot_of(const char* at) {
    const auto offset = static_cast<std::size_t>(at - bytes_.data());
    if (line_ > 0 && offset <= line_ends_[line_ - 1]) line_ = 0;
    while (line_ < line_ends_.size() && line_ends_[line_] < offset) ++line_;
    const std::size_t start = line_ == 0 ? 0 : line_ends_[line_ - 1] + 1;
    return {static_cast<std::int32_t>(line_) + 1, static_cast<std::int32_t>(offset - start) + 1};
}

// Returns the position where simdjson stopped; the end of the text if it is unknown.  Must be called only after a document
// has begun.
json_tree::spot json_tree::here() {
    const char* at = nullptr;
    const char* const end = bytes_.data() + bytes_.size();
    if (!begun_) return spot_of(end);
    if (document_.current_location().get(at) != simdjson::SUCCESS || at < bytes_.data() || at > end) at = end;
    return spot_of(at);
}

bool json_tree::refuse(syntax_error why) {
    if (!failure_) failure_ = std::move(why);
    return false;
}

bool json_tree::refuse(simdjson::error_code code) {
    const spot at = here();
    return refuse({at.line, at.column, "not valid JSON: " + explain(or_bad_alloc(code)),
                   "check commas, quotes and brackets here and just before"});
}

bool json_tree::value(ondemand::value value, std::size_t depth, std::string_view within, node& out) {
    std::string_view token;
    ondemand::json_type type{};
    if (const auto code = simdjson::simdjson_result<std::string_view>(value.raw_json_token()).get(token))
        return refuse(code);
    const spot at = spot_of(token.data());
    out.line = at.line;
    out.column = at.column;
    if (const auto code = value.type().get(type)) return refuse(code);
    if (!spent_.spend(1, token.size())) return refuse(too_large(at.line, at.column));
    if (type != ondemand::json_type::object && type != ondemand::json_type::array) return scalar(value, type, out);
    if (depth >= limits::manifest_depth) return refuse(too_deep(at.line, at.column));
    return type == ondemand::json_type::object ? object(value, depth + 1, within, out)
                                               : array(value, depth + 1, within, out);
}

bool json_tree::object(ondemand::value element, std::size_t depth, std::string_view within, node& out) {
    out.kind = node_kind::mapping;
    ondemand::object members;
    if (const auto code = element.get_object().get(members)) return refuse(code);
    for (auto member : members) {
        ondemand::field field;
        std::string_view key;
        if (const auto code = std::move(member).get(field)) return refuse(code);
        const spot at = spot_of(field.key().raw() - 1);  // raw() points behind the quote
        if (const auto code = unescaped(field.key()).get(key)) return refuse(code);
        if (is_unused_ != nullptr && is_unused_(within, key)) continue;
        out.children.emplace_back();
        node& child = out.children.back();
        child.key = key;
        if (!spent_.spend(0, key.size())) return refuse(too_large(at.line, at.column));
        if (!value(field.value(), depth, child.key, child)) return false;
        child.line = at.line;
        child.column = at.column;
    }
    if (std::optional<syntax_error> bad = find_bad_key(out)) return refuse(std::move(*bad));
    return true;
}

bool json_tree::array(ondemand::value element, std::size_t depth, std::string_view within, node& out) {
    out.kind = node_kind::sequence;
    ondemand::array items;
    if (const auto code = element.get_array().get(items)) return refuse(code);
    for (auto item : items) {
        ondemand::value entry;
        // simdjson's get() is for rvalues.  NOLINTNEXTLINE(performance-move-const-arg)
        if (const auto code = std::move(item).get(entry)) return refuse(code);
        out.children.emplace_back();
        if (!value(entry, depth, within, out.children.back())) return false;
    }
    return true;
}

bool json_tree::scalar(ondemand::value value, ondemand::json_type type, node& out) {
    if (type == ondemand::json_type::string) {
        ondemand::raw_json_string quoted;
        std::string_view text;
        if (const auto code = value.get_raw_json_string().get(quoted)) return refuse(code);
        if (const auto code = unescaped(quoted).get(text)) return refuse(code);
        out.text = text;
        out.quoted = true;
        return true;
    }
    const std::string_view token = value.raw_json_token();
    out.text = trim(token);
    if (type == ondemand::json_type::number) {
        ondemand::number ignored;
        if (const auto code = value.get_number().get(ignored)) return refuse(code);
    } else if (type == ondemand::json_type::boolean) {
        bool ignored = false;
        if (const auto code = value.get_bool().get(ignored)) return refuse(code);
    } else {
        bool null = false;
        simdjson::simdjson_result<bool> read(value.is_null());
        if (const auto code = std::move(read).get(null)) return refuse(code);
        if (!null) return refuse(simdjson::N_ATOM_ERROR);
    }
    return true;
}

// Until the next one.  No text is longer unescaped than it was.  Most have no escapes and stay where they are.
simdjson::simdjson_result<std::string_view> json_tree::unescaped(ondemand::raw_json_string quoted) {
    const auto begin = static_cast<std::size_t>(quoted.raw() - bytes_.data());
    const std::string_view behind = std::string_view(bytes_.data(), bytes_.size()).substr(begin);
    const std::string_view plain = behind.substr(0, behind.find('"'));
    if (plain.size() < behind.size() && plain.find('\\') == std::string_view::npos) return std::string_view(plain);
    unescaped_.resize(bytes_.size() + simdjson::SIMDJSON_PADDING);
    auto* into = reinterpret_cast<std::uint8_t*>(unescaped_.data());  // NOLINT: text as bytes
    return parser_.unescape(quoted, into);
}

read_text json_tree::read() {
    read_text out;
    node root;
    ondemand::value top;
    simdjson::error_code code = parser_.iterate(bytes_).get(document_);
    begun_ = code == simdjson::SUCCESS;
    if (begun_) code = document_.get_value().get(top);
    if (code != simdjson::SUCCESS) {
        refuse(code);
    } else if (value(top, 0, {}, root)) {
        const char* rest = nullptr;
        if (document_.current_location().get(rest) == simdjson::SUCCESS) {
            const spot at = spot_of(rest);
            refuse({at.line, at.column, "trailing characters after the JSON value",
                    "give one object; put several into a List"});
        }
    }
    out.failure = std::move(failure_);
    if (!out.failure) out.roots.push_back(std::move(root));
    return out;
}

}  // namespace

read_text read_json(std::string_view text, member_filter is_unused) { return json_tree(text, is_unused).read(); }

}  // namespace gputide::text
