// hpa-replicas, kind quantity_milli: {"quantity": "1.5Gi", "expect": {"milli": 1610612736000}}.
#include "door/json_values.hpp"
#include "through/manifests.hpp"

namespace conformance {
namespace {

differences check_quantity_milli(const json& one, const json&, door& library) {
    const json result = library.result({{"call", "quantity"}, {"text", one.at("quantity")}});
    const std::string message = message_of(result);
    if (one.at("expect").contains("error"))
        return message.empty() ? differences{"expected an error, got " + result.dump()} : differences{};
    if (!message.empty()) return {"expected a quantity, got the error: " + message};
    differences out;
    expect_equal(out, "milli", one.at("expect").at("milli"), integer_in(result.at("milli")));
    return out;
}

const registration quantities{"hpa-replicas", {"quantity_milli"}, &check_quantity_milli};

}  // namespace
}  // namespace conformance
