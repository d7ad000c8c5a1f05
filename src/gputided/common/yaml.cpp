#include "common/yaml.hpp"

#ifdef GPUTIDED_YAML
#include <yaml.h>
#endif

#include <algorithm>
#include <string_view>

namespace gputided {
namespace {

using nlohmann::ordered_json;

#ifdef GPUTIDED_YAML

// Only a plain scalar can be something else than text.
ordered_json scalar_of(const yaml_node_t& node) {
    const std::string text(reinterpret_cast<const char*>(node.data.scalar.value), node.data.scalar.length);
    if (node.data.scalar.style != YAML_PLAIN_SCALAR_STYLE) return text;
    if (text.empty() || text == "~" || text == "null") return nullptr;
    const ordered_json value = ordered_json::parse(text, nullptr, false);
    return value.is_number() || value.is_boolean() ? value : ordered_json(text);
}

ordered_json value_of(yaml_document_t& document, int index) {
    const yaml_node_t* node = ::yaml_document_get_node(&document, index);
    if (node == nullptr) return nullptr;
    if (node->type == YAML_SCALAR_NODE) return scalar_of(*node);
    if (node->type == YAML_SEQUENCE_NODE) {
        ordered_json out = ordered_json::array();
        for (const auto* item = node->data.sequence.items.start; item < node->data.sequence.items.top; ++item) {
            out.push_back(value_of(document, *item));
        }
        return out;
    }
    ordered_json out = ordered_json::object();
    for (const auto* pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; ++pair) {
        const ordered_json key = value_of(document, pair->key);
        out[key.is_string() ? key.get<std::string>() : key.dump()] = value_of(document, pair->value);
    }
    return out;
}

std::vector<ordered_json> yaml_documents(const std::string& text) {
    std::vector<ordered_json> out;
    yaml_parser_t parser;
    if (::yaml_parser_initialize(&parser) == 0) return out;
    ::yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    for (;;) {
        yaml_document_t document;
        if (::yaml_parser_load(&parser, &document) == 0) break;
        const bool is_last = ::yaml_document_get_root_node(&document) == nullptr;
        if (!is_last) out.push_back(value_of(document, 1));
        ::yaml_document_delete(&document);
        if (is_last) break;
    }
    ::yaml_parser_delete(&parser);
    return out;
}

#else

std::vector<ordered_json> yaml_documents(const std::string&) { return {}; }

#endif

}  // namespace

std::vector<ordered_json> documents_of(const std::string& text) {
    ordered_json whole = ordered_json::parse(text, nullptr, false);
    if (!whole.is_discarded()) return {std::move(whole)};
    return yaml_documents(text);
}

}  // namespace gputided
