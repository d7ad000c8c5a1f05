// The scalers of gputided run on one gputide runtime: what it asks for (a size) and what it decides are worked off here, the
// user's commands on threads beside.  One thread uses this, and it never waits.
#pragma once

#include "board.hpp"
#include "commands.hpp"
#include "gputide/gputide.hpp"
#include "jobs.hpp"
#include "manifests.hpp"
#include "state_file.hpp"
#include "target.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gputided {

// One scaler: what is remembered of it between two events.
struct hosted {
    std::string name;  // "namespace/name"
    std::string file;
    std::size_t fingerprint = 0;  // of what its manifest was made from
    target_size size;
    std::string under_way;         // as saved_scaler.under_way
    std::string state;             // as the library saved it last
    bool is_due = false;           // the runtime waits for its size
    bool is_busy = false;          // a command of it is under way
    std::int64_t asked_at_ms = 0;  // steady: when the runtime got its size
    std::int64_t patience_ms = 0;  // steady: until then the runtime must have said something; 0: it waits for us
    std::map<std::string, std::string> told;  // by metric: what the log has of its failure already
};

class fleet {
  public:
    fleet(const run_options& with, const target& to, board& on, std::size_t expected);
    fleet(const fleet&) = delete;
    fleet& operator=(const fleet&) = delete;

    // Adds, replaces and removes until the runtime has what the files say.  again: replace also what looks the same.  What
    // cannot be opened goes to wanted.broken, and goes on as it was.  A scaler that joins takes its state out of `saved`;
    // before start() one that does not fit is a usage_error.
    void apply(manifest_set& wanted, states& saved, bool again);

    void start() { runtime_.start(), started_ = true; }
    void stop(std::int32_t timeout_ms);  // the runtime, and the commands under way
    std::vector<int> descriptors();      // readable: turn() has something to do
    void turn();                         // events and commands that have ended

    states all_states() const;
    bool wants_save_now() const { return urgent_ || !writes_.empty(); }
    bool wants_save() const { return urgent_ || !writes_.empty() || changed_; }
    void saved();  // now the writes that waited for that may begin

    std::size_t size() const { return scalers_.size(); }
    std::int64_t patience_ms() const;                               // steady: something is stuck after that
    std::string runtime_stats() const { return runtime_.stats(); }  // any thread
    children_numbers children() const { return {jobs_.running(), jobs_.waiting()}; }

  private:
    struct write {
        std::uint64_t id;
        gputide::decision made;
        std::string report;
    };

    void open(const wanted_scaler& one, const manifest_set& from, states& saved, bool again);
    void enter(hosted& fresh, std::uint64_t id, states& saved);
    void restore(hosted& fresh, std::uint64_t id, const saved_scaler& from);
    void remove_others(const manifest_set& wanted);
    hosted* at(std::uint64_t id);

    void take(const gputide::event& event);
    void prepare(std::uint64_t id, hosted& one);
    void tell_size(std::uint64_t id, hosted& one, bool readable);
    void decided(std::uint64_t id, hosted& one, const gputide::event& event);
    void count(std::uint64_t id, hosted& one, const gputide::event& event);
    void read_size(std::uint64_t id, hosted& one);
    void begin_write(const write& next);
    void settle(std::uint64_t id, hosted& one, gputide::decision made, bool written);
    void finish_cut_off_write(std::uint64_t id, hosted& one);
    void keep_state(std::uint64_t id, hosted& one);
    void idle_again(std::uint64_t id, hosted& one);

    const run_options& with_;
    const target to_;
    board& board_;
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
