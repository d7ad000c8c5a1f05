// The scalers of gputided run on one gputide runtime: what it asks for (a size) and what it decides are worked off here, the
// user's commands on threads beside.  One thread uses this, and it never waits.
#pragma once

#include "common/state_file.hpp"
#include "gputide/gputide.hpp"
#include "run/commands/jobs.hpp"
#include "run/decision_lines.hpp"
#include "run/files/manifest_set.hpp"
#include "run/files/scaler_texts.hpp"
#include "run/fleet/hosted.hpp"
#include "run/output.hpp"
#include "run/pages/board.hpp"
#include "run/run.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gputided {

class fleet {
  public:
    // expected: how many scalers will join at the start; their first polls are spread over time by that.
    fleet(const run_options& options, const target_access& access, board& board, run_output& output,
          std::size_t expected);
    fleet(const fleet&) = delete;
    fleet& operator=(const fleet&) = delete;

    // Adds, replaces and removes until the runtime has what the files say.  again: replace also what looks the same.  What
    // cannot be opened goes to wanted.broken, and goes on as it was.  A scaler that joins takes its state out of `saved`;
    // before start() one that does not fit is a usage_error.
    void apply(manifest_set& wanted, saved_scalers& saved, bool again);

    void start() { runtime_.start(), started_ = true; }
    void stop(std::int32_t timeout_ms);  // the runtime, and the commands under way
    std::vector<int> descriptors();      // readable: turn() has something to do
    void turn();                         // events and commands that have ended

    saved_scalers all_states() const;
    owner_files owners() const;
    bool wants_save_now() const { return urgent_ || !writes_.empty(); }
    bool wants_save() const { return wants_save_now() || changed_; }
    void saved();  // now the writes that waited for that may begin

    std::size_t size() const { return scalers_.size(); }
    std::int64_t patience_ms() const;                               // steady: something is stuck after that
    std::string runtime_stats() const { return runtime_.stats(); }  // any thread
    children_numbers children() const { return {jobs_.running(), jobs_.waiting()}; }

  private:
    struct write {
        std::uint64_t id;
        gputide::decision decision;
        std::string report;
    };

    // members.cpp
    void open(const wanted_scaler& scaler, const scaler_texts& texts, saved_scalers& saved, bool again);
    std::uint64_t open_text(const wanted_scaler& scaler, const scaler_text& text, std::string& described);
    void enter(hosted& fresh, std::uint64_t id, saved_scalers& saved);
    void restore(hosted& fresh, std::uint64_t id, const saved_scaler& saved);
    void remove_others(const manifest_set& wanted);
    hosted* at(std::uint64_t id);

    // events.cpp
    void take(const gputide::event& event);
    void prepare(std::uint64_t id, hosted& scaler);
    void read_size(std::uint64_t id, hosted& scaler);
    void give_size(std::uint64_t id, hosted& scaler, bool readable);
    void decided(std::uint64_t id, hosted& scaler, const gputide::event& event);
    void count(std::uint64_t id, hosted& scaler, const gputide::event& event);

    // writes.cpp
    void begin_write(const write& next);
    void settle(std::uint64_t id, hosted& scaler, gputide::decision decision, bool written);
    void finish_cut_off_write(std::uint64_t id, hosted& scaler);
    void keep_state(std::uint64_t id, hosted& scaler);
    void idle_again(std::uint64_t id, hosted& scaler);

    const run_options& options_;
    const target_access access_;
    board& board_;
    run_output& output_;
    decision_lines lines_;
    const std::int32_t spread_ms_;
    gputide::runtime runtime_;
    std::map<std::uint64_t, hosted> scalers_;
    std::map<std::string, std::uint64_t> ids_;  // by name
    std::vector<write> writes_;                 // that wait until the state file knows of them
    bool started_ = false;
    bool urgent_ = false;
    bool changed_ = false;
    jobs jobs_;
};

}  // namespace gputided
