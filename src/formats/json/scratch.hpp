// Parser memory that a thread keeps from one answer to the next, so that reading in steady state allocates nothing.
// Small ones stay; what a large answer needed is given back (release).
#pragma once

#include "base/json_memory.hpp"

#include <simdjson.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace gputide::formats {

struct scratch {
    simdjson::dom::parser whole;         // checks every byte of a document
    simdjson::ondemand::parser forward;  // reads a document once, from front to back
    std::string padded_copy;

    // A whole document into `root`, a dom::element or dom::object that lives until the next one.
    template <class Root>
    simdjson::error_code parse(const std::string& text, Root& root) {
        return or_bad_alloc(whole.parse(padded(text)).get(root));
    }

    // The same of a document that lies in `text`.
    template <class Root>
    simdjson::error_code parse(std::string_view document, const std::string& text, Root& root) {
        return or_bad_alloc(whole.parse(padded(document, text)).get(root));
    }

    // simdjson reads up to SIMDJSON_PADDING bytes past the end.  A string that grew usually has the room; else a copy.
    simdjson::padded_string_view padded(const std::string& text) { return padded(text, text); }
    simdjson::padded_string_view padded(std::string_view document, const std::string& text);

    // Memory for answers up to this size stays with the thread (about five times as much address space, less in use).
    static constexpr std::size_t kept_bytes = std::size_t{8} << 20;
    void release();
};

// This thread's own.
scratch& thread_scratch();

// Gives memory back at the end of a scope.
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

// What a text that is no JSON document looks like from afar.
struct text_outline {
    bool blank = false;      // nothing but white space
    bool looks_cut = false;  // blank, or begins as JSON and ends inside a string, object or array
    bool balanced = false;   // every bracket that opens closes
};
text_outline outline_of(std::string_view text);

}  // namespace gputide::formats
