// The scalers of gputided run on one runtime: sizes, decisions and writes.  Used by one thread, which never blocks.
#pragma once

#include "common/files.hpp"
#include "gputide/gputide.hpp"
#include "run/commands.hpp"
#include "run/files/files.hpp"
#include "run/output.hpp"
#include "run/pages/board.hpp"
#include "run/run.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace gputided {

// A scaler and its state between two events.
struct hosted {
    target_name name;
    std::string file;
    std::size_t fingerprint = 0;  // of its texts
    target_size size;
    std::string under_way;         // as in saved_scaler
    std::string state;             // last state saved by the library
    bool is_due = false;           // the runtime waits for its size
    bool is_busy = false;          // one of its commands is running
    std::int64_t asked_at_ms = 0;  // steady clock: when the runtime got the size
    std::int64_t deadline_ms = 0;  // steady clock: the runtime must report before; 0: it waits for a size
};

class fleet {
  public:
    // expected: number of scalers at the start; their first polls are spread over time.
    fleet(const run_options& options, board& board, run_output& output, std::size_t expected);
    fleet(const fleet&) = delete;
    fleet& operator=(const fleet&) = delete;

    // Adds, replaces and removes scalers to match the files.  again: also replaces unchanged scalers.  A scaler that cannot be
    // opened is added to wanted.broken and continues unchanged.  A new scaler takes its state from `saved`.  A state that does
    // not fit throws usage_error before start(); later the scaler is not added and goes to wanted.broken.
    void apply(manifest_set& wanted, saved_scalers& saved, bool again);

    void start() { runtime_.start(), started_ = true; }
    void stop(std::int32_t timeout_ms);               // stops the runtime and running commands
    void wait(std::vector<pollfd> ends, int max_ms);  // until turn() has work, or one of `ends` is ready
    void turn();                                      // handles events and finished commands

    saved_scalers all_states() const;
    owner_files owners() const;
    bool wants_save_now() const { return urgent_ || !writes_.empty(); }
    bool wants_save() const { return wants_save_now() || changed_; }
    void saved();  // starts the writes that waited for the saved state

    std::size_t size() const { return scalers_.size(); }
    std::int64_t deadline_ms() const;                               // steady clock: after this time a scaler is stuck
    std::string runtime_stats() const { return runtime_.stats(); }  // may be called on any thread
    children_numbers children() const { return {commands_.running_count(), commands_.waiting_count()}; }

  private:
    struct write {
        std::uint64_t id;
        gputide::decision decision;
        std::string report;
    };

    // Members
    void open(const wanted_scaler& scaler, const scaler_texts& texts, saved_scalers& saved, bool again);
    std::uint64_t open_text(const wanted_scaler& scaler, const scaler_text& text);
    void enter(hosted& fresh, std::uint64_t id, saved_scalers& saved);
    void restore(hosted& fresh, std::uint64_t id, const saved_scaler& saved);
    void remove_others(const manifest_set& wanted);
    hosted* at(std::uint64_t id);

    // Events
    // Returns whether the call succeeds; otherwise the scaler has a problem.
    bool attempt(const hosted& scaler, const std::function<void()>& call);
    void take(const gputide::event& event);
    void prepare(std::uint64_t id, hosted& scaler);
    void read_size(std::uint64_t id, hosted& scaler);
    void give_size(std::uint64_t id, hosted& scaler, bool readable);
    void decided(std::uint64_t id, hosted& scaler, const gputide::event& event);
    void count(std::uint64_t id, hosted& scaler, const gputide::event& event);

    // Writes
    void begin_write(const write& next);
    void settle(std::uint64_t id, hosted& scaler, gputide::decision decision, bool written);
    void finish_interrupted_write(std::uint64_t id, hosted& scaler);
    void keep_state(std::uint64_t id, hosted& scaler);
    void idle_again(std::uint64_t id, hosted& scaler);

    bool observes() const { return !options_.observe.empty(); }  // otherwise only the last written size is known

    const run_options& options_;
    board& board_;
    run_output& output_;
    decision_lines lines_;
    const std::int32_t spread_ms_;
    gputide::runtime runtime_;
    std::map<std::uint64_t, hosted> scalers_;
    std::map<std::string, std::uint64_t> ids_;  // by name
    std::vector<write> writes_;                 // wait until the state file contains them
    bool started_ = false;
    bool urgent_ = false;
    bool changed_ = false;
    commands commands_;
};

}  // namespace gputided
