// The loop of gputided run: a thread waits for signals, changed files, events of the runtime and finished commands, and handles
// them.  The web server uses its own thread.
#pragma once

#include "common/files.hpp"
#include "run/files/files.hpp"
#include "run/fleet/fleet.hpp"
#include "run/output.hpp"
#include "run/pages/pages.hpp"
#include "run/run.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gputided {

class scaling_daemon : public paged_daemon {
  public:
    // options, signals and output must outlive this object.  Throws usage_error or gputide::failure if a file
    // cannot be used or a scaler cannot start.
    scaling_daemon(const run_options& options, signals& signals, run_output& output);

    void run() override;

  protected:
    web_answer readiness() const override;
    std::string runtime_stats() const override { return fleet_.runtime_stats(); }
    children_numbers children() const override { return fleet_.children(); }

  private:
    void wait();
    void reload();
    void look_at_folders();
    bool read_again(reading scope);  // returns false if a file has an error
    void note_changes(const manifest_set& next);
    void note_unhandled(const manifest_set& set);
    void note_broken(const manifest_set& set, const std::string& meaning);
    void save_if_due(bool at_the_end);
    void save();
    void update_health();

    signals& signals_;
    const unique_descriptor lock_;  // of the state file
    saved_scalers saved_;           // from the state file, for scalers that have not been added yet
    folder_watch folders_;          // begins before the first reading, so that it notices
                                    // changes during this
    manifest_reader reader_;
    manifest_set first_;  // for the constructor
    fleet fleet_;
    std::map<std::string, std::pair<std::string, std::string>> broken_;  // by file: reason, text
    // In use; those with an error have their last valid text.
    std::vector<manifest_file> files_;
    std::int64_t looked_ms_ = 0;  // steady clock
    std::int64_t noticed_ms_ = 0;
    std::int64_t saved_ms_ = 0;
    std::atomic<bool> ready_{false};
};

}  // namespace gputided
