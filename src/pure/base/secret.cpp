#include "base/secret.hpp"

#include <string.h>

namespace gputide {

void wipe(void* bytes, std::size_t size) noexcept { explicit_bzero(bytes, size); }

void wipe(std::string& text) noexcept {
    // Wipes the whole capacity: earlier, longer content may remain behind size().
    text.resize(text.capacity());
    wipe(text.data(), text.size());
    text.clear();
}

secret_text& secret_text::operator=(const secret_text& other) {
    if (this != &other) {
        std::string copy = other.text_;
        wipe(text_);
        text_ = std::move(copy);
        wipe(copy);  // the move copies a short text
    }
    return *this;
}

secret_text& secret_text::operator=(secret_text&& other) noexcept {
    if (this != &other) {
        if (!text_.empty()) wipe(text_);
        take(other.text_);
    }
    return *this;
}

bool same_secret(std::string_view a, std::string_view b) noexcept {
    if (a.size() != b.size()) return false;
    unsigned difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
    }
    return difference == 0;
}

}  // namespace gputide
