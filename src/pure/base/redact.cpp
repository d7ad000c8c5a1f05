#include "base/redact.hpp"

#include "base/encode.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace gputide {

namespace {

constexpr std::size_t shortest_secret = 4;  // replacing a shorter one would destroy the text and hide nothing
constexpr std::string_view blot = "***";

// The forms in which a peer may echo the secret: unchanged, in a URL or form, inside a JSON string.
enum class writing { plain, percent, json };

struct piece {
    char byte = '\0';
    std::size_t size = 0;  // bytes of the text that encode the character; 0: no match
};

piece read_percent(std::string_view text) {
    if (text[0] == '+') return {' ', 1};
    if (text[0] != '%') return {text[0], 1};
    const std::optional<unsigned char> byte = hex_byte(text.substr(1));
    return byte ? piece{static_cast<char>(*byte), 3} : piece{};
}

piece read_json(std::string_view text) {
    if (text[0] != '\\') return {text[0], 1};
    if (text.size() < 2) return {};
    switch (text[1]) {
        case 'n':
            return {'\n', 2};
        case 'r':
            return {'\r', 2};
        case 't':
            return {'\t', 2};
        case 'u':
            break;
        default:
            return {text[1], 2};
    }
    const std::optional<unsigned char> high = hex_byte(text.substr(2));
    const std::optional<unsigned char> low = hex_byte(text.substr(std::min<std::size_t>(4, text.size())));
    if (!high || !low || *high != 0 || *low > 0x7F) return {};
    return {static_cast<char>(*low), 6};
}

piece read_piece(std::string_view text, writing how) {
    switch (how) {
        case writing::percent:
            return read_percent(text);
        case writing::json:
            return read_json(text);
        case writing::plain:
            break;
    }
    return {text[0], 1};
}

// Returns the number of bytes at the start of `text` that encode the secret; 0: no match.
std::size_t spelled(std::string_view text, std::string_view secret, writing how) {
    std::size_t at = 0;
    for (const char wanted : secret) {
        if (at == text.size()) return 0;
        const piece got = read_piece(text.substr(at), how);
        if (got.size == 0 || got.byte != wanted) return 0;
        at += got.size;
    }
    return at;
}

// The bytes to remove.  They are marked first and removed later, so that overlapping secrets are both removed.
using marks = std::vector<bool>;

void mark(marks& out, std::size_t begin, std::size_t size) {
    for (std::size_t at = begin; at < begin + size; ++at) out[at] = true;
}

void mark_secret(marks& out, std::string_view text, std::string_view secret) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        for (const writing how : {writing::plain, writing::percent, writing::json}) {
            mark(out, at, spelled(text.substr(at), secret, how));
        }
    }
}

// Finds JWTs: they start with the base64url of '{"' and extend over all characters that a JWT can contain.
void mark_tokens(marks& out, std::string_view text) {
    constexpr std::string_view token_bytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    for (std::size_t at = text.find("eyJ"); at != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_not_of(token_bytes, at), text.size());
        mark(out, at, end - at);
        at = text.find("eyJ", end);
    }
}

// Finds private keys in PEM form, each up to its end line, or to the end of the text if the key was cut.
void mark_private_keys(marks& out, std::string_view text) {
    constexpr std::string_view begin_line = "-----BEGIN ";
    constexpr std::string_view end_line = "-----END ";
    constexpr std::string_view dashes = "-----";
    for (std::size_t at = text.find(begin_line); at != std::string_view::npos; at = text.find(begin_line, at + 1)) {
        const std::size_t label = at + begin_line.size();
        const std::size_t label_end = text.find(dashes, label);
        if (text.substr(label, std::min(label_end, text.size()) - label).find("PRIVATE") == std::string_view::npos) {
            continue;
        }
        std::size_t end = text.find(end_line, label);
        if (end != std::string_view::npos) end = text.find(dashes, end + end_line.size());
        end = end == std::string_view::npos ? text.size() : end + dashes.size();
        mark(out, at, end - at);
    }
}

char printable(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F ? ' ' : c;
}

bool names_a_secret(std::string_view name) {
    static constexpr std::array<std::string_view, 9> parts{
        "token", "secret", "passw", "pwd", "apikey", "credential", "assertion", "signature", "authorization"};
    static constexpr std::array<std::string_view, 4> whole{"sig", "code", "auth", "key"};
    static constexpr std::array<std::string_view, 2> ends{"-key", "_key"};
    const std::string word = lower(percent_decode(name, true).value_or(std::string(name)));
    for (const std::string_view part : parts) {
        if (word.find(part) != std::string::npos) return true;
    }
    for (const std::string_view text : whole) {
        if (word == text) return true;
    }
    for (const std::string_view end : ends) {
        if (word.size() >= end.size() && word.substr(word.size() - end.size()) == end) return true;
    }
    return false;
}

// Redacts query values: "a=1&token=x" → "a=1&token=***"
std::string redact_query(std::string_view query) {
    std::string out;
    const std::vector<std::string_view> pairs = split(query, '&');
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const std::string_view pair = pairs[i];
        const std::size_t sign = pair.find('=');
        const bool secret = sign != std::string_view::npos && names_a_secret(pair.substr(0, sign));
        if (i > 0) out += '&';
        out += secret ? pair.substr(0, sign + 1) : pair;
        if (secret) out += blot;
    }
    return out;
}

}  // namespace

std::string redact(std::string_view text, const std::vector<std::string_view>& secrets) {
    marks hidden(text.size(), false);
    for (const std::string_view secret : secrets) {
        if (secret.size() >= shortest_secret) mark_secret(hidden, text, secret);
    }
    mark_tokens(hidden, text);
    mark_private_keys(hidden, text);
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!hidden[at]) {
            out += printable(text[at]);
        } else if (at == 0 || !hidden[at - 1]) {
            out += blot;
        }
    }
    return out;
}

std::string redact_url(std::string_view url) {
    const std::size_t scheme = url.find("://");
    const std::size_t authority = scheme == std::string_view::npos ? 0 : scheme + 3;
    const std::size_t authority_end = std::min(url.find_first_of("/?#", authority), url.size());
    const std::string_view host = url.substr(authority, authority_end - authority);
    const std::size_t at_sign = host.rfind('@');

    std::string out(url.substr(0, authority));
    if (at_sign != std::string_view::npos) out += std::string(blot) + "@";
    out += host.substr(at_sign == std::string_view::npos ? 0 : at_sign + 1);

    const std::string_view tail = url.substr(authority_end);
    const std::size_t fragment = std::min(tail.find('#'), tail.size());
    const std::size_t query = std::min(tail.find('?'), fragment);
    out += tail.substr(0, query);
    if (query < fragment) out += "?" + redact_query(tail.substr(query + 1, fragment - query - 1));
    if (fragment < tail.size()) out += "#" + redact_query(tail.substr(fragment + 1));
    return redact(out);
}

// Each platform has another function for this, or none.
void wipe(void* bytes, std::size_t size) noexcept {
    std::memset(bytes, 0, size);
    asm volatile("" : : "r"(bytes) : "memory");  // the compiler must not drop the write as unused
}

void wipe(std::string& text) noexcept {
    // Wipes the whole capacity: earlier, longer content may remain after size().
    text.resize(text.capacity());
    wipe(text.data(), text.size());
    text.clear();
}

secret_text& secret_text::operator=(const secret_text& other) {
    if (this != &other) {
        std::string copy = other.text_;
        wipe(text_);
        text_ = std::move(copy);
        wipe(copy);  // moving a short string copies it
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
