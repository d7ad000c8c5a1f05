// The manifest of each scaler of a set, with all that it may refer to.
#pragma once

#include "run/files/manifest_set.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace gputided {

struct scaler_text {
    std::vector<manifest_file> files;  // its own first
    std::size_t fingerprint = 0;       // stands for all of that when it is compared
};

enum class beside { plain_files, other_scalers };

// Looks the set through once, so that a folder of many scalers costs each of them its own files alone.
class scaler_texts {
  public:
    explicit scaler_texts(const manifest_set& set);  // borrowed

    // plain_files: its own file and those that hold no scaler; other_scalers: every other file with credentials or secrets, too.
    scaler_text of(const wanted_scaler& scaler, beside which) const;

  private:
    std::map<std::string, const manifest_file*> by_name_;
    std::vector<const manifest_file*> plain_;
    std::vector<const manifest_file*> with_secrets_;  // and with scalers
};

}  // namespace gputided
