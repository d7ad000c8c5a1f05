// Runs a compiled pattern: the set of steps that the text so far can have led to, one code point at a time.
#include "formats/exposition/pattern.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace gputide::formats::exposition {
namespace {

bool holds(const code_point_set& set, std::uint32_t c) {
    return std::any_of(set.begin(), set.end(),
                       [c](const auto& range) { return range.first <= c && c <= range.second; });
}

// Steps that are alive, each once; what costs no character is followed at once.
class alive {
  public:
    explicit alive(const std::vector<pattern_step>& steps) : steps_(&steps), seen_(steps.size(), 0) {}

    void clear() {
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
            case pattern_step::kind::set:
                sets_.push_back(at);
                break;
            case pattern_step::kind::split:
                todo_.push_back(step.second);
                todo_.push_back(step.first);
                break;
            case pattern_step::kind::jump:
                todo_.push_back(step.first);
                break;
            case pattern_step::kind::match:
                matched_ = true;
                break;
        }
    }

    const std::vector<pattern_step>* steps_;
    std::vector<std::uint64_t> seen_;  // the round in which a step was added
    std::uint64_t round_ = 1;
    std::vector<std::uint32_t> sets_;
    std::vector<std::uint32_t> todo_;
    std::size_t looked_at_ = 0;
    bool matched_ = false;
};

}  // namespace

std::uint32_t next_code_point(std::string_view text, std::size_t& at) {
    const auto byte = [&text](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
    };
    const std::size_t size = std::max<std::size_t>(utf8_sequence_size(text.substr(at)), 1);
    std::uint32_t out = byte(at);
    if (size == 2) out &= 0x1f;
    if (size == 3) out &= 0x0f;
    if (size == 4) out &= 0x07;
    for (std::size_t i = 1; i < size; ++i) out = out << 6 | (byte(at + i) & 0x3f);
    at += size;
    return out;
}

bool pattern::matches(std::string_view whole, match_budget& budget) const {
    alive now(steps_);
    alive next(steps_);
    now.add(0);
    for (std::size_t at = 0; at < whole.size();) {
        if (now.sets().empty() || budget.spent()) return false;
        budget.spend(now.looked_at());
        const std::uint32_t c = next_code_point(whole, at);
        next.clear();
        for (const std::uint32_t one : now.sets()) {
            if (holds(sets_[steps_[one].first], c)) next.add(one + 1);
        }
        std::swap(now, next);
    }
    return now.matched() && !budget.spent();
}

}  // namespace gputide::formats::exposition
