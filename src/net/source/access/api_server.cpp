#include "source/access/api_server.hpp"

namespace gputide::source::access {

result<kube::access> open_api_server(const services& services) {
    return kube::open_access(services.cluster, services.host, services.permissions, services.tokens);
}

}  // namespace gputide::source::access
