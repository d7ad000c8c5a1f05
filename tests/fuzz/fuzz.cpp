// The program of all fuzz targets.
//   GPUTIDE_FUZZ_TARGET=manifest gputide_fuzz ...    with libFuzzer (preset fuzz): its options and folders
//   gputide_fuzz_corpus FOLDER...                    otherwise: runs each file of FOLDER/TARGET once
#include "fuzz.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

using gputide::fuzz::registration;

const registration* first = nullptr;

const registration* find_target(std::string_view name) {
    const registration* out = first;
    while (out != nullptr && out->name != name) out = out->next;
    return out;
}

}  // namespace

gputide::fuzz::registration::registration(std::string_view target, int (*run_target)(const std::uint8_t*, std::size_t))
    : name(target), run(run_target), next(first) {
    first = this;
}

#ifdef GPUTIDE_FUZZ_CORPUS

namespace {

std::string content_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

int main(int argc, char** argv) {
    int count = 0;
    for (int i = 1; i < argc; ++i) {
        for (const auto& file : std::filesystem::recursive_directory_iterator(argv[i])) {
            if (!file.is_regular_file()) continue;
            const std::string name = file.path().parent_path().filename().string();
            const registration* target = find_target(name);
            if (target == nullptr) {
                std::fprintf(stderr, "gputide_fuzz_corpus: no target %s\n", name.c_str());
                return 1;
            }
            const std::string input = content_of(file.path());
            std::printf("%s\n", file.path().c_str());
            std::fflush(stdout);  // names the input if it ends the program
            target->run(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
            ++count;
        }
    }
    std::printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}

#else

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const char* const name = std::getenv("GPUTIDE_FUZZ_TARGET");
    static const registration* const target = find_target(name != nullptr ? name : "");
    if (target == nullptr) {
        std::fprintf(stderr, "gputide_fuzz: GPUTIDE_FUZZ_TARGET names no target; there are");
        for (const registration* known = first; known != nullptr; known = known->next)
            std::fprintf(stderr, " %.*s", static_cast<int>(known->name.size()), known->name.data());
        std::fprintf(stderr, "\n");
        std::exit(2);
    }
    return target->run(bytes, size);
}

#endif
