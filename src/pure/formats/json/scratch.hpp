// Parser memory that a thread reuses between responses, so that steady-state parsing allocates nothing.
// Small buffers are kept; the memory for a large response is freed (release).
#pragma once

#include "base/json_memory.hpp"

#include <simdjson.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::formats {

struct scratch {
    simdjson::dom::parser whole;         // checks every byte of a document
    simdjson::ondemand::parser forward;  // reads a document once, from front to back
    std::string padded_copy;

    // Parses a document into `root`, a dom::element or dom::object that is valid until the next call.
    template <class Root>
    simdjson::error_code parse(const std::string& text, Root& root) {
        return or_bad_alloc(whole.parse(padded(text)).get(root));
    }

    // Parses a document that is a part of `text`.
    template <class Root>
    simdjson::error_code parse(std::string_view document, const std::string& text, Root& root) {
        return or_bad_alloc(whole.parse(padded(document, text)).get(root));
    }

    // Returns the text with SIMDJSON_PADDING readable bytes behind it, which simdjson needs.  Usually the string's capacity
    // is sufficient; otherwise the text is copied.
    simdjson::padded_string_view padded(const std::string& text) { return padded(text, text); }
    simdjson::padded_string_view padded(std::string_view document, const std::string& text);

    // Responses up to this size keep their parser memory (about five times as much address space, less memory in use).
    static constexpr std::size_t kept_bytes = std::size_t{8} << 20;
    void release();
};

// Returns this thread's parser memory.
scratch& thread_scratch();

// Releases parser memory at the end of a scope.
class scratch_use {
  public:
    explicit scratch_use(std::string_view text) : size_(text.size()) {}
    scratch_use(const scratch_use&) = delete;
    scratch_use& operator=(const scratch_use&) = delete;
    ~scratch_use() {
        if (size_ > scratch::kept_bytes) mine_.release();
    }
    scratch* operator->() { return &mine_; }
    scratch& operator*() { return mine_; }

  private:
    scratch& mine_ = thread_scratch();
    std::size_t size_;
};

// A rough description of a text that is not a JSON document.
struct text_outline {
    bool blank = false;      // white space only
    bool looks_cut = false;  // blank, or starts like JSON and ends inside a string, object or array
    bool balanced = false;   // every opened bracket is closed
};
text_outline outline_of(std::string_view text);

// Integers beyond 64 bits, which simdjson rejects.  Pure.

// Appends ".0" to each such integer, so that it is parsed as the nearest double: the Kubernetes API server stores it as a
// float64 (apimachinery util/json).  Returns nothing if the text has no such integer.
std::optional<std::string> large_integers_as_doubles(std::string_view json);

}  // namespace gputide::formats
