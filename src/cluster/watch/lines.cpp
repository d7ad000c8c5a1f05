#include "cluster/watch/lines.hpp"

#include <utility>

namespace gputide::cluster {

bool line_cutter::feed(std::string_view bytes, const std::function<void(const std::string&)>& take) {
    for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
        rest_.append(bytes.substr(0, end));
        bytes.remove_prefix(end + 1);
        if (rest_.size() > most_line_bytes) return false;
        const std::string line = std::exchange(rest_, {});
        if (line.find_first_not_of(" \t\r") != std::string::npos) take(line);
    }
    rest_.append(bytes);
    return rest_.size() <= most_line_bytes;
}

}  // namespace gputide::cluster
