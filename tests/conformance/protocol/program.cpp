// gputide_protocol: protocol 1 over stdin and stdout, on libgputide.so alone.  What each language's binding writes once over its own
// public functions, so that `gputide_conformance --through` can drive it (docs/conformance.md).
#include "protocol/call.hpp"

#include <exception>
#include <iostream>
#include <string>

int main() {
    try {
        const conformance::executor library;
        std::cout << library.hello().dump() << std::endl;
        for (std::string line; std::getline(std::cin, line);) {
            std::cout << library.answer(conformance::json::parse(line)).dump() << std::endl;
        }
    } catch (const std::exception& problem) {
        std::cerr << "gputide_protocol: " << problem.what() << '\n';
        return 1;
    }
    return 0;
}
