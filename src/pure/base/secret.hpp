// Secret text: wiped on destruction, printed as ***.
// For tokens, assertions, keys, passwords and every buffer that holds them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace gputide {

// Overwrites the bytes; the optimizer cannot remove the writes.
void wipe(void* bytes, std::size_t size) noexcept;
void wipe(std::string& text) noexcept;

// A secret.  An empty text never contained one, or is wiped already.
class secret_text {
  public:
    secret_text() = default;
    explicit secret_text(std::string text) { take(text); }
    explicit secret_text(std::string_view text) : text_(text) {}
    secret_text(const secret_text&) = default;
    secret_text(secret_text&& other) noexcept { take(other.text_); }
    secret_text& operator=(const secret_text& other);
    secret_text& operator=(secret_text&& other) noexcept;
    ~secret_text() {
        if (!text_.empty()) wipe(text_);
    }

    // The only access to the content; the name makes each use easy to find.
    std::string_view reveal() const { return text_; }
    bool empty() const { return text_.empty(); }

  private:
    // Moves `from` into this text, which must be empty.  Wipes `from`, because moving a short string copies it.
    void take(std::string& from) noexcept {
        if (from.empty()) return;
        text_ = std::move(from);
        wipe(from);
    }

    std::string text_;
};

// Compares in time that depends only on the lengths.
bool same_secret(std::string_view a, std::string_view b) noexcept;

// Prints *** to a stream, a log, a test's message.
template <class Stream>
Stream& operator<<(Stream& out, const secret_text&) {
    out << "***";
    return out;
}

}  // namespace gputide
