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

#include "base/json_writer.hpp"
#include "base/result.hpp"
#include "forecast/forecast.hpp"
#include "forecast/memory.hpp"

#include <span>
#include <string>
#include <string_view>

namespace gputide::forecast {

inline constexpr std::size_t max_text_bytes = std::size_t{64} << 10;

std::string save(const memory& memory, const settings& settings);

// Loads a saved text, completely or not at all.  An error has status::state and a remedy.  A text with another lead or slot
// is treated as by change() (forecast.hpp).
result<memory> load(std::string_view text, const settings& settings);

// Writes a forecast as members of an open JSON object; docs/json.md lists them.

// Writes the forecast at the end of the last slot, and its quality; missing values are left out.
void write_report(json_writer& out, const report& report, const settings& settings);

// Writes "name": {"day":...,"week":...,"hour":...,"trend":...,"noise":...}.
void write_parts(json_writer& out, std::string_view name, const parts& values);

// Writes "ahead": [{"at":...,"forecast":...,"upper":...,"ask":...}, ...]; "ask" is the load to prepare for, if any.
void write_ahead(json_writer& out, std::span<const slot_forecast> ahead);

// Writes "settings": {...}, in the format of read_settings().
void write_settings(json_writer& out, const settings& settings);

}  // namespace gputide::forecast
