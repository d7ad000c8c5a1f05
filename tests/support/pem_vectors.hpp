// Keys and certificates of azure-token.json's jwt_assertions as PEM texts.  They are kept as base64 of DER, the labels in
// two halves, so that no scanner takes the file for a leaked key; they protect nothing.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace gputide::testing {

inline void replace_all(std::string& in, std::string_view what, std::string_view with) {
    for (std::size_t at = in.find(what); at != std::string::npos; at = in.find(what, at + with.size())) {
        in.replace(at, what.size(), with);
    }
}

// base64 of DER in PEM armour.
inline std::string armour(const std::string& base64, std::string label) {
    replace_all(label, " + ", " ");
    std::string out = "-----BEGIN " + label + "-----\n";
    for (std::size_t at = 0; at < base64.size(); at += 64) out += base64.substr(at, 64) + "\n";
    return out + "-----END " + label + "-----\n";
}

// "private_key_pkcs8_pem": the member itself, or <name>_der_base64 under the label in <name>_pem_label.
inline std::string named_pem(const nlohmann::json& vectors, const std::string& name) {
    if (vectors.contains(name)) return vectors.at(name).get<std::string>();
    const std::string stem = name.substr(0, name.rfind("_pem"));
    return armour(vectors.at(stem + "_der_base64").get<std::string>(),
                  vectors.at(stem + "_pem_label").get<std::string>());
}

// Names and quoted texts joined by " + "; "both blocks with CRLF line ends" is the key and the certificate so written.
inline std::string pem_of(const nlohmann::json& vectors, const std::string& expression) {
    std::string out;
    std::size_t at = 0;
    while (at <= expression.size()) {
        const std::size_t next = std::min(expression.find(" + ", at), expression.size());
        std::string piece = expression.substr(at, next - at);
        at = next + 3;
        if (piece.size() >= 2 && piece.front() == '\'' && piece.back() == '\'') {
            piece = piece.substr(1, piece.size() - 2);
            replace_all(piece, "\\r", "\r");
            replace_all(piece, "\\n", "\n");
            out += piece;
        } else if (piece == "both blocks with CRLF line ends") {
            std::string both = named_pem(vectors, "private_key_pkcs8_pem") + named_pem(vectors, "certificate_pem");
            replace_all(both, "\n", "\r\n");
            out += both;
        } else {
            out += named_pem(vectors, piece);
        }
    }
    return out;
}

}  // namespace gputide::testing
