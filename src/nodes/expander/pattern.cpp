// A search follows all ways through the steps at once.
#include "nodes/expander/pattern.hpp"

#include "nodes/expander/bytes.hpp"

namespace gputide::nodes {

bool pattern::found_in(std::string_view text) const {
    std::vector<std::uint32_t> now;
    std::vector<std::uint32_t> next;
    std::vector<std::uint32_t> open;
    std::vector<std::size_t> seen(steps_.size(), 0);  // the round in which a step was reached last
    bool matched = false;
    // Every step that can be reached from `start` before the byte at `at` is read.
    const auto follow = [&](std::uint32_t start, std::size_t at, std::vector<std::uint32_t>& into) {
        open.assign(1, start);
        while (!open.empty()) {
            const std::uint32_t number = open.back();
            open.pop_back();
            if (seen[number] == at + 1) continue;
            seen[number] = at + 1;
            const step& one = steps_[number];
            const bool left = at > 0 && is_word(text[at - 1]);
            const bool right = at < text.size() && is_word(text[at]);
            switch (one.kind) {
                case step_kind::bytes:
                    into.push_back(number);
                    break;
                case step_kind::split:
                    open.push_back(one.other);
                    open.push_back(one.next);
                    break;
                case step_kind::jump:
                    open.push_back(one.next);
                    break;
                case step_kind::text_start:
                    if (at == 0) open.push_back(one.next);
                    break;
                case step_kind::text_end:
                    if (at == text.size()) open.push_back(one.next);
                    break;
                case step_kind::word_edge:
                    if (left != right) open.push_back(one.next);
                    break;
                case step_kind::no_word_edge:
                    if (left == right) open.push_back(one.next);
                    break;
                case step_kind::match:
                    matched = true;
                    break;
            }
        }
    };
    for (std::size_t at = 0; !matched; ++at) {
        follow(0, at, now);
        if (matched || at == text.size()) break;
        next.clear();
        for (const std::uint32_t number : now) {
            const step& one = steps_[number];
            if (sets_[one.other].test(static_cast<unsigned char>(text[at]))) follow(one.next, at + 1, next);
        }
        now.swap(next);
    }
    return matched;
}

}  // namespace gputide::nodes
