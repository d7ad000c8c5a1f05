// gputided run: one thread waits for signals, changed files, events of the runtime and ended commands, and works them off; the
// web page asks from a thread of its own.
#pragma once

#include "board.hpp"
#include "commands.hpp"
#include "files.hpp"
#include "fleet.hpp"
#include "folder_watch.hpp"
#include "manifests.hpp"
#include "signals.hpp"
#include "web.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <string>

namespace gputided {

class scaling_daemon {
  public:
    // Reads the manifests and the state file; throws usage_error or gputide::failure where that is not possible.
    scaling_daemon(const run_options& with, signals& heard);

    void run();  // until a stop is heard

    // /metrics, /healthz, /readyz, / and its data; any thread.
    web_answer answer(const web_request& to);

  private:
    scaling_daemon(const run_options& with, signals& heard, manifest_reader reader, folder_watch folders);
    scaling_daemon(const run_options& with, signals& heard, manifest_reader& reader, folder_watch folders,
                   manifest_set first);

    void wait();
    void reload();
    void look_at_folders();
    bool read_again(bool changed_folders);  // false: some file is broken
    void tell_broken(const std::map<std::string, std::string>& broken, const std::string& meaning);
    void save_where_wanted(bool at_the_end);
    void save();
    void show_health();

    const run_options with_;
    const file_lock state_lock_;
    signals& heard_;
    board board_;
    manifest_reader reader_;
    folder_watch folders_;
    std::map<std::string, std::string> broken_;  // files, as manifest_set has them
    states saved_;                               // of the state file; of scalers that have not come yet
    fleet fleet_;
    std::int64_t looked_ms_ = 0;  // steady
    std::int64_t saved_ms_ = 0;
    std::atomic<bool> ready_{false};
    std::atomic<std::int64_t> alive_until_ms_;  // steady: the loop comes round before this, or is stuck
};

}  // namespace gputided
