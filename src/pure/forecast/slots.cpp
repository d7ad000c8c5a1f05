#include "forecast/slots.hpp"

#include <algorithm>

namespace gputide::forecast {

slot_end enter(open_slot& slot, std::int64_t number, std::int64_t slots_ahead) noexcept {
    slot_end out;
    if (slot.begun && number == slot.number) return out;
    if (slot.begun && number < slot.number && slot.number - number <= slots_ahead) {
        ++slot.late;
        out.passage = passage::late;
        return out;
    }
    if (slot.begun && number > slot.number) {
        out.passage = passage::ended;
        out.number = slot.number;
        if (slot.count > 0) out.mean = slot.sum / static_cast<double>(slot.count);
        out.missing = std::min(number - slot.number - 1, slots_ahead);
    } else if (slot.begun) {
        out.passage = passage::set_back;
    }
    slot.begun = true;
    slot.number = number;
    slot.sum = 0.0;
    slot.count = 0;
    return out;
}

void add_reading(open_slot& slot, double value) noexcept {
    if (!(value >= 0 && value <= largest_reading)) return;
    slot.sum += value;
    ++slot.count;
}

}  // namespace gputide::forecast
