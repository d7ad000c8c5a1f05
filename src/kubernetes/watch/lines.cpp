#include "kubernetes/watch/lines.hpp"

#include <utility>

namespace gputide::kubernetes {

void line_cutter::feed(std::string_view bytes, const std::function<void(const std::string&, bool)>& take) {
    for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
        keep(bytes.substr(0, end));
        bytes.remove_prefix(end + 1);
        const std::string line = std::exchange(rest_, {});
        const bool is_cut = std::exchange(is_cut_, false);
        if (line.find_first_not_of(" \t\r") != std::string::npos) take(line, is_cut);
    }
    keep(bytes);
}

void line_cutter::keep(std::string_view bytes) {
    const std::size_t room = max_line_bytes - rest_.size();
    is_cut_ = is_cut_ || bytes.size() > room;
    rest_.append(bytes.substr(0, room));
}

}  // namespace gputide::kubernetes
