// The loop of gputided run: a thread waits for signals, changed files, events of the runtime and finished commands, and handles
// them.  The web server uses its own thread.
#pragma once

#include "common/files.hpp"
#include "run/files/files.hpp"
#include "run/fleet/fleet.hpp"
#include "run/output.hpp"
#include "run/pages/board.hpp"
#include "run/pages/web.hpp"
#include "run/run.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gputided {

// The input of a daemon: the locked state file and the manifests.
struct daemon_files {
    std::unique_ptr<file_lock> lock;
    saved_scalers saved;
    folder_watch folders;
    manifest_reader reader;
    manifest_set first;
};

// Reads the files.  Throws usage_error or gputide::failure if a file cannot be used.
daemon_files start_files(const run_options& options);

class scaling_daemon {
  public:
    // options, signals and output must outlive this object.  Throws usage_error or gputide::failure if a scaler cannot start.
    scaling_daemon(const run_options& options, signals& signals, run_output& output, daemon_files files);

    void run();  // runs until a stop signal

    // Answers requests for all pages.  May be called on any thread.
    web_answer answer(const web_request& request);
    web_answer health(const web_request& request);  // only /healthz and /readyz

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

    const run_options& options_;
    signals& signals_;
    run_output& output_;
    std::unique_ptr<file_lock> lock_;
    saved_scalers saved_;  // from the state file, for scalers that have not been added yet
    folder_watch folders_;
    manifest_reader reader_;
    board board_;
    fleet fleet_;
    std::map<std::string, std::pair<std::string, std::string>> broken_;  // by file: reason, text
    // In use; those with an error have their last valid text.
    std::vector<manifest_file> files_;
    std::int64_t looked_ms_ = 0;  // steady clock
    std::int64_t noticed_ms_ = 0;
    std::int64_t saved_ms_ = 0;
    std::atomic<bool> ready_{false};
    std::atomic<std::int64_t> alive_until_ms_;  // steady clock: after this time the loop counts as stuck
};

}  // namespace gputided
