// A forecast as text that survives a restart: one line of JSON with a version and, at its end, a checksum.
//
//   {"gputide_forecast":1,"slot_ms":60000,"lead_ms":300000,
//    "open":[slot,sum,count,late],"booked":[extra,shadow,passes],"ended":slot,       null where none began or ended
//    "peak":M,"day":[[mean,...],[visits,...],[bucket,sum,count]],"week":[...],"hour":[...],"levels":[l,g],
//    "learned":[[S00,S01,...],[r...],Q,E,[w...]],
//    "score":[loss,loss_last,error,error_last,held,count,q,s,q_last,s_last,scored,in_use],
//    "account":[X,B,was_spent],"rows":[[f...,v,F,U,Un,ask],null,...],"crc32c":"9a71bb4c"}
//
// Members always have this order, without blanks.  Numbers are the shortest that parse to the same bits; null: missing.
// Size: 3 KiB (new) to 28 KiB (a lead of an hour).  Later versions may append members before the checksum and raise the
// version.
#pragma once

#include "base/result.hpp"
#include "forecast/memory.hpp"

#include <string>
#include <string_view>

namespace gputide::forecast {

inline constexpr std::size_t max_text_bytes = std::size_t{64} << 10;

std::string save(const memory& memory, const settings& settings);

// Loads a saved text, completely or not at all.  An error has status::state and a remedy.  A text with another lead or slot
// is treated as by change() (forecast.hpp).
result<memory> load(std::string_view text, const settings& settings);

}  // namespace gputide::forecast
