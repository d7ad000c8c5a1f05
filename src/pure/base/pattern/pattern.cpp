// Runs a compiled pattern: tracks the set of active steps, one character at a time.
#include "base/pattern/pattern.hpp"

#include <utility>

namespace gputide {
namespace {

// The position between two characters of a text.
struct position {
    bool at_start = false;
    bool at_end = false;
    bool at_word_edge = false;
};

position position_at(std::string_view text, std::size_t at) {
    const bool left = at > 0 && is_word(text[at - 1]);
    const bool right = at < text.size() && is_word(text[at]);
    return {at == 0, at == text.size(), left != right};
}

// The set of active steps.  Steps that consume no character are followed immediately.
class alive {
  public:
    explicit alive(const std::vector<pattern_step>& steps) : steps_(&steps), seen_(steps.size(), 0) {}

    void move_to(position here) {
        here_ = here;
        sets_.clear();
        looked_at_ = 0;
        matched_ = false;
        ++round_;
    }

    void add(std::uint32_t start) {
        todo_.push_back(start);
        while (!todo_.empty()) {
            const std::uint32_t at = todo_.back();
            todo_.pop_back();
            if (seen_[at] == round_) continue;
            seen_[at] = round_;
            ++looked_at_;
            follow(at);
        }
    }

    const std::vector<std::uint32_t>& sets() const { return sets_; }
    std::size_t looked_at() const { return looked_at_; }
    bool matched() const { return matched_; }

  private:
    void follow(std::uint32_t at) {
        const pattern_step& step = (*steps_)[at];
        switch (step.what) {
            case kind::set:
                sets_.push_back(at);
                break;
            case kind::split:
                todo_.push_back(step.second);
                todo_.push_back(step.first);
                break;
            case kind::jump:
                todo_.push_back(step.first);
                break;
            case kind::text_start:
                go_on(at, here_.at_start);
                break;
            case kind::text_end:
                go_on(at, here_.at_end);
                break;
            case kind::word_edge:
                go_on(at, here_.at_word_edge);
                break;
            case kind::no_word_edge:
                go_on(at, !here_.at_word_edge);
                break;
            case kind::match:
                matched_ = true;
                break;
        }
    }

    void go_on(std::uint32_t at, bool passes) {
        if (passes) todo_.push_back(at + 1);
    }

    using kind = pattern_step::kind;

    const std::vector<pattern_step>* steps_;
    std::vector<std::uint64_t> seen_;  // the round in which a step was added
    std::uint64_t round_ = 0;
    position here_;
    std::vector<std::uint32_t> sets_;
    std::vector<std::uint32_t> todo_;
    std::size_t looked_at_ = 0;
    bool matched_ = false;
};

}  // namespace

bool pattern::runs_through(std::string_view text, bool anywhere, match_budget& budget) const {
    alive now(steps_);
    alive next(steps_);
    now.move_to(position_at(text, 0));
    now.add(0);
    for (std::size_t at = 0; at < text.size() && !(anywhere && now.matched());) {
        if (now.sets().empty() && !anywhere) return false;
        budget.spend(now.looked_at());
        if (budget.spent()) return false;
        const std::uint32_t c = next_code_point(text, at);
        next.move_to(position_at(text, at));
        for (const std::uint32_t set : now.sets()) {
            if (holds(sets_[steps_[set].first], c)) next.add(set + 1);
        }
        if (anywhere) next.add(0);
        std::swap(now, next);
    }
    return now.matched();
}

bool pattern::matches(std::string_view whole, match_budget& budget) const { return runs_through(whole, false, budget); }

bool pattern::found_in(std::string_view text, match_budget& budget) const { return runs_through(text, true, budget); }

}  // namespace gputide
