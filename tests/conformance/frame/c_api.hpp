// Access to the library under test, as checkers use it: calls in, results out, by protocol 1 (docs/conformance.md).  Behind it
// stands the C ABI in this process, or a program in any language.
#pragma once

#include <nlohmann/json.hpp>

#include <memory>
#include <stdexcept>
#include <string>

namespace conformance {

using json = nlohmann::json;

// A call that the program of a smaller flavor does not have.
struct unknown_call : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class c_api {
  public:
    virtual ~c_api() = default;
    c_api(const c_api&) = delete;
    c_api& operator=(const c_api&) = delete;

    // Names the case that the next calls belong to.
    void begin_case(const std::string& name) { case_name_ = name; }

    // The results of one line of calls, one each.  What they open is closed again before this returns.  Throws
    // std::runtime_error where the C API breaks the protocol, knows a call not or leaves a handle alive.
    json results(const json& calls);

    json result(const json& call) { return results(json::array({call})).front(); }

    // The last one's result, of calls that only prepare it; the first error where it could not be asked for that.
    json last_result(const json& calls);

    // {"protocol":1,"binding":…,"version":…,"abi":…,"library":…,"calls":[…]}
    const json& hello() const { return hello_; }

    // Ends the C API; the exit status of its program.
    virtual int close() { return 0; }

  protected:
    c_api() = default;
    void set_hello(json hello);

  private:
    virtual json answer(const json& line) = 0;

    json hello_;
    std::string case_name_;
    unsigned lines_ = 0;
};

// The C functions of the shared library that this program is linked to.
std::unique_ptr<c_api> open_linked_c_api();

// COMMAND, run by the shell for as long as the C API is open.
std::unique_ptr<c_api> open_program_c_api(const std::string& command);

}  // namespace conformance
