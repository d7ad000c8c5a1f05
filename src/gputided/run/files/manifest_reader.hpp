// Reads the -f files again and again; standard input once.
#pragma once

#include "common/shared_options.hpp"
#include "run/files/manifest_set.hpp"

#include <map>
#include <set>
#include <string>

namespace gputided {

// folders: files given by name stay as they were read.
enum class reading { everything, folders };

class manifest_reader {
  public:
    explicit manifest_reader(const shared_options& options) : options_(options) {}

    // unsettled: files that are being written; they stay as they were read, or out.  Throws nothing: what is wrong stands in
    // `broken`, a folder that cannot be read under its own name.
    manifest_set read(reading scope, const owner_files& owners, const std::set<std::string>& unsettled);
    // As read(everything), for a start: throws usage_error or gputide::failure where a file that was given by name has an
    // error, or where no scaler is left.
    manifest_set read_first(const owner_files& owners);

  private:
    struct one_pass {
        reading scope;
        const std::set<std::string>& unsettled;
        std::vector<manifest_file> files;
        std::map<std::string, std::string> broken;
    };
    void read_one(const std::string& path, one_pass& pass);
    void keep_missing(one_pass& pass) const;
    bool is_in_folder(const std::string& path) const;

    const shared_options& options_;
    std::map<std::string, std::string> texts_;  // of each file as it was read last
    manifest_set last_;
};

}  // namespace gputided
