#include "runtime/fleet/unrecorded_writes.hpp"

#include <algorithm>

namespace gputide::runtime {

void unrecorded_writes::make_room() {
    if (!writes_) writes_ = std::make_unique<list>();
}

void unrecorded_writes::add(const decide::decision& decision) noexcept {
    if (!writes_) return;
    if (decision.desired_replicas != decision.current_replicas) {
        if (writes_->count == capacity) {
            std::move(writes_->ids.begin() + 1, writes_->ids.end(), writes_->ids.begin());
            --writes_->count;
        }
        writes_->ids[writes_->count++] = decision.id;
    }
    if (writes_->count == 0) clear();
}

bool unrecorded_writes::has(const decide::decision& decision) const noexcept {
    if (!writes_) return false;
    const std::uint64_t* const first = writes_->ids.data();
    const std::uint64_t* const end = first + writes_->count;
    return std::find(first, end, decision.id) != end;
}

void unrecorded_writes::settle(const decide::decision& decision) noexcept {
    if (!writes_) return;
    std::uint64_t* const first = writes_->ids.data();
    std::uint64_t* const end = first + writes_->count;
    std::uint64_t* const found = std::find(first, end, decision.id);
    if (found == end) return;
    writes_->count = static_cast<std::size_t>(std::move(found + 1, end, first) - first);
    if (writes_->count == 0) clear();
}

void unrecorded_writes::withdraw(const decide::decision& decision) noexcept {
    if (!writes_) return;
    if (writes_->count > 0 && writes_->ids[writes_->count - 1] == decision.id) --writes_->count;
    if (writes_->count == 0) clear();
}

}  // namespace gputide::runtime
