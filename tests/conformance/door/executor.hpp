// Protocol 1 over gputide.h: the calls of a case in, their results out.  The one place where calls become C functions, for the
// runner's own process and for the program gputide_door alike.
#pragma once

#include "door/call.hpp"

namespace conformance {

class executor {
  public:
    executor();

    // {"door":1,"binding":"c","version":…,"abi":…,"library":…,"calls":[…]}
    json hello() const;

    // {"case":…,"calls":[…],"close":"reverse"} → {"case":…,"results":[…],"alive":0}; where a call is unknown or cannot be made,
    // {"case":…,"fault":"…","results":[those before it],"alive":0}.
    json answer(const json& line) const;

  private:
    json result_of(const json& one, opened_things& opened) const;

    std::map<std::string_view, call_entry> entries_;
};

}  // namespace conformance
