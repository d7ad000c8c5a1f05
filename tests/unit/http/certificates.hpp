// A folder of fresh certificates for one test program: ours.pem, good.pem, good.key, ... (see certificates.sh).
#pragma once

#include "support/folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace gputide::testing {

class certificate_folder {
  public:
    certificate_folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "gputide-tls-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
        folder_ = pattern;
        const std::string make =
            "sh " + file_path("unit/http/certificates.sh") + " " + pattern + " >" + pattern + "/log 2>&1";
        // NOLINTNEXTLINE: a fixed command of the test's own
        if (std::system(make.c_str()) != 0) throw std::runtime_error("no certificates: " + text("log"));
    }
    ~certificate_folder() { std::filesystem::remove_all(folder_); }
    certificate_folder(const certificate_folder&) = delete;
    certificate_folder& operator=(const certificate_folder&) = delete;

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::string text(const std::string& name) const {
        std::ifstream in(path(name));
        return {std::istreambuf_iterator<char>(in), {}};
    }

  private:
    std::filesystem::path folder_;
};

}  // namespace gputide::testing
