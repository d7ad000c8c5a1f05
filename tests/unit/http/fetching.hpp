// Helpers that the tests over real sockets share: a client, a request, one blocking fetch.
#pragma once

#include "http/client.hpp"
#include "support/folder.hpp"
#include "support/texts.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <zlib.h>

namespace gputide::http {

inline std::shared_ptr<client> open_client() {
    auto out = client::open();
    if (!out) throw std::runtime_error(out.failure().message);
    return *out;
}

inline request get(std::string url) {
    request out;
    out.url = std::move(url);
    return out;
}

// Sends and drives until the answer is there.
inline answer fetch(client& on, request what, std::int64_t budget_ms = 20'000) {
    const std::int64_t deadline = on.steady_ms() + budget_ms;
    std::optional<answer> got;
    std::atomic<bool> there{false};
    on.send(std::move(what), deadline, [&](answer answer) {
        got = std::move(answer);
        there = true;
    });
    on.drive([&] { return there.load(); }, deadline + 5'000);
    EXPECT_TRUE(there) << "no callback";
    return got.value_or(answer{fault::other, "no callback"});
}

class stopwatch {
  public:
    std::int64_t ms() const {
        return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

using gputide::testing::holds;

}  // namespace gputide::http

// Bytes as gzip, for servers that compress.

namespace gputide::testing {

inline std::string zipped(std::string text) {
    z_stream to{};
    constexpr int with_gzip_header = 15 + 16;
    if (deflateInit2(&to, 9, Z_DEFLATED, with_gzip_header, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::runtime_error("deflateInit2");
    std::string out(deflateBound(&to, text.size()), '\0');
    to.next_in = reinterpret_cast<Bytef*>(text.data());
    to.avail_in = static_cast<uInt>(text.size());
    to.next_out = reinterpret_cast<Bytef*>(out.data());
    to.avail_out = static_cast<uInt>(out.size());
    if (deflate(&to, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
    out.resize(to.total_out);
    deflateEnd(&to);
    return out;
}

// A folder of fresh certificates for one test program: ours.pem, good.pem, good.key, ... (see certificates.sh).

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
