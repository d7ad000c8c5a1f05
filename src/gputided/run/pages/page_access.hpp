// Decides which requests may read the pages that show names, queries and errors of workloads.
#pragma once

#include "run/pages/web.hpp"

#include <string>

namespace gputided {

// The bearer token of --listen-token-file.
class page_access {
  public:
    // token_file "": no token.  Throws usage_error where the file cannot be read or its token is too short.
    explicit page_access(std::string token_file);

    bool has_token() const { return !token_file_.empty(); }

    // Whether the request came by the Unix socket or has the token.  The file is read again, so that a mounted Secret may change.
    bool has_login(const web_request& request) const;
    // Whether it may read every page: has_login(), or where no token is given, by loopback.
    bool may_read(const web_request& request) const;

  private:
    std::string token_file_;
};

// The pages that every address serves: /healthz, /readyz, /metrics.
bool is_open_page(const web_request& request);

// The response to a request for another page without the right: 401 where a token would help, else 403 with what to do.
web_answer login_page(const page_access& access);

}  // namespace gputided
