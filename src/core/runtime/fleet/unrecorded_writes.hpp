// The writes that events have asked for and of which the host has not said yet how they went, by their decisions' ids.  A record
// is taken for one of these, and once; a host that never records costs nothing that grows.
#pragma once

#include "decide/decision.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace gputide::runtime {

class unrecorded_writes {
  public:
    void make_room();  // what add() needs; throws std::bad_alloc
    // A decision that wants no write is no business of this.  Of more than `capacity` the oldest is given up.
    void add(const decide::decision& decision) noexcept;
    bool has(const decide::decision& decision) const noexcept;
    void settle(const decide::decision& decision) noexcept;    // and those handed out before it
    void withdraw(const decide::decision& decision) noexcept;  // the newest: the host has not seen it after all
    void clear() noexcept { writes_.reset(); }

  private:
    // A host with several threads writes a few at a time: a write takes seconds, a period fifteen.
    static constexpr std::size_t capacity = 4;

    struct list {
        std::array<std::uint64_t, capacity> ids{};  // the oldest first
        std::size_t count = 0;
    };
    std::unique_ptr<list> writes_;  // null: none, which is nearly always so
};

}  // namespace gputide::runtime
