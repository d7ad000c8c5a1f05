// A forecast as text that survives a restart: one line of JSON, versioned, with a checksum at its end.
//
//   {"gputide_forecast":1,"slot_ms":60000,"lead_ms":300000,
//    "open":[slot,sum,count,late],"booked":[extra,shadow,passes],"ended":slot,       null where none began or ended
//    "peak":M,"day":[[mean,...],[visits,...],[bucket,sum,count]],"week":[...],"hour":[...],"levels":[l,g],
//    "learned":[[S00,S01,...],[r...],Q,E,[w...]],
//    "score":[loss,loss_last,error,error_last,held,count,q,s,q_last,s_last,scored,in_use],
//    "account":[X,B,was_spent],"rows":[[f...,v,F,U,Un,ask],null,...],"crc32c":"9a71bb4c"}
//
// Members always come in this order, without blanks; numbers are the shortest that read back to the same bits, null where there is
// none.  From 3 KiB (fresh) to 28 KiB (a lead of an hour).  Later versions may append members before the checksum and raise the number.
#pragma once

#include "base/result.hpp"
#include "forecast/memory.hpp"

#include <string>
#include <string_view>

namespace gputide::forecast {

inline constexpr std::size_t max_text_bytes = std::size_t{64} << 10;

std::string save(const memory& memory, const settings& settings);

// Returns status::state with the error and the remedy; nothing is loaded partly.  A text with another lead or slot is
// handled as by change() (forecast.hpp).
result<memory> load(std::string_view text, const settings& settings);

}  // namespace gputide::forecast
