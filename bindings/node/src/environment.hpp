// The state of one environment of Node (the main thread, a Worker) has of the addon.  Nothing but the library itself is shared.
#ifndef GPUTIDE_NODE_ENVIRONMENT_HPP
#define GPUTIDE_NODE_ENVIRONMENT_HPP

#include "handle.hpp"
#include "pool.hpp"

#include <memory>

namespace gputide_node {

struct environment {
    explicit environment(napi_env env);
    environment(const environment&) = delete;
    environment& operator=(const environment&) = delete;

    // Ends every call that waits and every runtime's thread, in 2 s at most; calls are refused from then on.  May be repeated.
    void shut_down() noexcept;

    napi_env env;
    open_handles handles;
    napi_ref make_error = nullptr;  // JavaScript's: (members of gputide_error, what was written) => an Error
    napi_threadsafe_function done = nullptr;
    std::shared_ptr<pool> threads;
    unsigned holds = 0;  // calls that the process waits for
    bool is_shut_down = false, all_ended = false;

  private:
    static void clean_up(void* self) noexcept;
};

environment& environment_of(napi_env env);

}  // namespace gputide_node

#endif  // GPUTIDE_NODE_ENVIRONMENT_HPP
