// Implements surroundings.hpp with POSIX calls: the environment and files of the process.
#include "auth/machine/surroundings.hpp"

#include "base/never_destroyed.hpp"
#ifdef GPUTIDE_PURE_ONLY

namespace gputide::auth {
namespace {

// The single-file build (cmake/amalgamate.py) does no I/O: the host program passes all texts.
class process final : public surroundings {
  public:
    std::optional<std::string> environment(const std::string&) const override { return std::nullopt; }
    result<secret_text> read_file(const std::string& path, std::size_t) const override {
        return fail(error_class::config, "{}: this build of the library reads no files; pass the Secret as text", path);
    }
};

#else

#include "auth/machine/program.hpp"
#include "base/format_text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace gputide::auth {
namespace {

class descriptor {
  public:
    explicit descriptor(int number) : number_(number) {}
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int number() const { return number_; }

  private:
    int number_;
};

error unreadable(const std::string& path, int reason) {
    return fail_for_now(format_text("{}: {}", path, std::generic_category().message(reason)));
}

// Reads `most` + 1 bytes to detect a longer file.  Reserves first, so that the buffer leaves no copies behind when it grows.
result<secret_text> read_all(int from, const std::string& path, std::size_t expected, std::size_t most) {
    std::string bytes;
    bytes.reserve(std::min(most, std::max<std::size_t>(expected, 4'096)) + 1);
    std::array<char, 16'384> piece{};
    int reason = 0;
    while (bytes.size() <= most) {
        const ssize_t got = ::read(from, piece.data(), std::min(piece.size(), most + 1 - bytes.size()));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) reason = errno;
        if (got <= 0) break;
        bytes.append(piece.data(), static_cast<std::size_t>(got));
    }
    wipe(piece.data(), piece.size());
    secret_text out(std::move(bytes));
    if (reason != 0) return unreadable(path, reason);
    if (out.reveal().size() <= most) return out;
    error why = fail(error_class::config, "{} is too large: more than {} bytes", path, most);
    why.status = status::limit;
    return why;
}

class process final : public surroundings {
  public:
    std::optional<std::string> environment(const std::string& name) const override {
        const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): read only
        return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
    }

    result<secret_text> read_file(const std::string& path, std::size_t most) const override {
        return read_opened(path, most, 0);
    }

    result<secret_text> read_unlinked_file(const std::string& path, std::size_t most) const override {
        return read_opened(path, most, O_NOFOLLOW);
    }

    result<secret_text> read_file_inside(const std::string& folder, const std::string& path,
                                         std::size_t most) const override {
        const auto root = resolved(folder);
        if (!root) return root.failure();
        const auto file = resolved(path);
        if (!file) return file.failure();
        if (!std::string_view(*file).starts_with(*root + "/"))
            return fail(error_class::config, "{} is not inside the folder {} (symbolic links are followed)", path,
                        folder);
        return read_opened(*file, most, O_NOFOLLOW);
    }

    result<std::unique_ptr<child_program>> start_program(const std::vector<std::string>& arguments,
                                                         const std::vector<secret_text>& variables) const override {
        return spawn_program(arguments, variables);
    }

  private:
    // Returns the path with symbolic links resolved.
    static result<std::string> resolved(const std::string& path) {
        const std::unique_ptr<char, decltype(&std::free)> out(::realpath(path.c_str(), nullptr), &std::free);
        if (!out) return unreadable(path, errno);
        return std::string(out.get());
    }

    static result<secret_text> read_opened(const std::string& path, std::size_t most, int flags) {
        // Non-blocking, so that a FIFO in place of a file cannot block the loop.  Checks the opened file, so that it cannot be
        // exchanged after the check.
        const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags));
        if (file.number() < 0) return unreadable(path, errno);
        struct stat is = {};
        if (::fstat(file.number(), &is) != 0) return unreadable(path, errno);
        if (S_ISDIR(is.st_mode)) return fail_for_now(path + " is a directory; expected a file");
        if (!S_ISREG(is.st_mode)) return fail_for_now(path + " is not a regular file");
        return read_all(file.number(), path, static_cast<std::size_t>(is.st_size), most);
    }
};

#endif

const never_destroyed<std::shared_ptr<const process>> only{std::make_shared<const process>()};

}  // namespace

error unread_file(std::string_view what, const error& why) {
    error out = fail(error_class::config, "{}: {}", what, why.message);
    out.retryable = why.retryable;
    return out;
}

std::string surroundings::variable(const char* name) const { return environment(name).value_or(""); }

std::shared_ptr<const surroundings> process_surroundings() { return *only; }

}  // namespace gputide::auth
