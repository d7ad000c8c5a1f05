// Finds metric selectors in the tokens, without the parser: works also for dialects and invalid queries.
#include "formats/promql/selectors.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/promql/brackets.hpp"
#include "formats/promql/words.hpp"

#include <algorithm>

namespace gputide::formats::promql {
namespace {

class finder {
  public:
    explicit finder(std::string_view query) : query_(query), tokens_(tokens_of(query)) {}

    std::vector<std::string> selectors() {
        while (at_ < tokens_.size()) step();
        return std::move(found_);
    }

  private:
    bool is(std::size_t at, std::string_view text) const { return at < tokens_.size() && tokens_[at].text == text; }

    void step() {
        const std::size_t start = at_++;
        if (is(start, "{")) {
            skip_to("}");
            add(start);
        } else if (is(start, "[")) {
            skip_to("]");
        } else if (tokens_[start].kind == token_kind::name) {
            read_name(start);
        }
    }

    void read_name(std::size_t start) {
        const std::string word = lower(tokens_[start].text);
        const bool is_name_next = at_ < tokens_.size() && tokens_[at_].kind == token_kind::name;
        if (takes_labels(word)) {
            if (is(at_, "(")) skip_to(")");
        } else if (is(at_, "(") || is_keyword(word) || (is_aggregation(word) && is_name_next)) {
            return;  // a function, an operator, or sum by (pod) (...)
        } else {
            if (is(at_, "{")) skip_to("}");
            add(start);
        }
    }

    // Moves past the next bracket of that kind; label lists and matchers contain no brackets.
    void skip_to(std::string_view closing) {
        while (at_ < tokens_.size() && tokens_[at_].text != closing) ++at_;
        if (at_ < tokens_.size()) ++at_;
    }

    void add(std::size_t first) {
        const token& last = tokens_[at_ - 1];
        const std::size_t from = tokens_[first].at;
        const std::string_view selector = query_.substr(from, last.at + last.text.size() - from);
        if (std::find(found_.begin(), found_.end(), selector) == found_.end()) found_.emplace_back(selector);
    }

    std::string_view query_;
    std::vector<token> tokens_;
    std::size_t at_ = 0;
    std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> selectors_of(std::string_view query) { return finder(query).selectors(); }

std::string age_query_of(std::string_view query) {
    const std::vector<std::string> selectors = selectors_of(query);
    if (selectors.empty()) return {};
    if (selectors.size() == 1) return format_text("min(timestamp({}))", selectors.front());
    // `or` drops series with labels equal to those of its left side, so each minimum gets its own label.
    std::string out = "min(";
    for (std::size_t i = 0; i < selectors.size(); ++i) {
        if (i != 0) out += " or ";
        out += format_text("label_replace(min(timestamp({})), \"part\", \"{}\", \"\", \"\")", selectors[i], i);
    }
    return out + ")";
}

}  // namespace gputide::formats::promql
