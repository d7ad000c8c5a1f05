// libyaml's events to nodes.  A stack of open collections stands for the recursion, so that a hostile text costs no call
// stack; what aliases and anchors copy counts towards the limits.
#pragma once

#include "config/document.hpp"

#include <yaml.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::config {

// libyaml counts lines and columns from 0.
inline std::int32_t from_one(std::size_t zero_based) { return static_cast<std::int32_t>(zero_based) + 1; }

class tree_builder {
  public:
    // False: failure() says why.
    bool take(const yaml_event_t& event);
    std::vector<node> roots;
    std::optional<syntax_error> failure;

  private:
    struct open_collection {
        node at;
        std::string anchor;
        std::optional<node> key;  // of a mapping, once read and until its value comes
        std::size_t nodes_before = 0;
    };
    struct anchored {
        node content;
        std::size_t nodes = 1;
        std::size_t bytes = 0;
    };

    bool refuse(const yaml_event_t& event, std::string message, std::string remedy);
    bool refuse(syntax_error why);
    bool scalar(const yaml_event_t& event);
    bool begin(const yaml_event_t& event, node_kind kind, std::string_view anchor, std::string_view tag);
    bool end();
    bool alias(const yaml_event_t& event);
    bool remember(const node& complete, const std::string& anchor);
    bool place(node value);
    bool merge(node& mapping);

    std::vector<open_collection> open_;
    std::map<std::string, anchored, std::less<>> anchors_;
    budget spent_;
};

}  // namespace gputide::config
