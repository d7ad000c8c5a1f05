// Names of objects that changed and are still to be looked at, each once.
#pragma once

#include <set>

namespace gputide::runtime {

// What is marked meanwhile is for another turn.  Where the memory ends within take(), the one it was given stays marked, and so do
// those after it.
template <class Key, class Take>
void take_each(std::set<Key>& marked, const Take& take) {
    struct turn {
        std::set<Key>& marked;
        std::set<Key> left;
        ~turn() { marked.merge(left); }
    } turn{marked, {}};
    turn.left.swap(marked);
    while (!turn.left.empty()) {
        take(*turn.left.begin());
        turn.left.erase(turn.left.begin());
    }
}

}  // namespace gputide::runtime
