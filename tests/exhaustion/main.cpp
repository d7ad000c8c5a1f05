// Memory runs out at every single allocation of every function of the C API, one after the other: no crash, no leak, the promised
// status.
//   gputide_exhaustion EXPORTS [SCENARIO]     EXPORTS: a file with a function's name a line; each must be in some scenario
// An allocation of ours that fails gives E_NO_MEMORY, or is done without.  One inside libcurl, OpenSSL or libyaml may come back
// as any status that those make of it, and what they leave or break on their own is theirs: it is counted apart, by library.
// Each scenario is exercised in a process of its own, which goes on in another one where a library below brought it down.
#include "memory.hpp"
#include "scenario.hpp"

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <set>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace exhaustion {
namespace {

constexpr long max_allocations = 200'000;
constexpr unsigned longest_s = 300;
constexpr int max_shown = 5;

std::string url;
std::string folder;
std::set<std::string> noted;
bool notes = false;

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Counts what a library below made of its own lack of memory.
struct foreign {
    std::array<char, 32> library{};
    long other_status = 0, left_blocks = 0, crashes = 0;
};

// The counts of one scenario; in memory that outlives a process which crashes.
struct progress {
    failing how = failing::once;
    long number = 0;
    bool through = false;  // both ways of failing
    outcome memory;        // of the run under way
    call_stack crash;
    std::array<long, 2> allocations{};
    long refused = 0;       // E_NO_MEMORY
    long done_without = 0;  // all went well
    long wrong = 0;
    std::array<foreign, 8> libraries{};
};
progress* here = nullptr;

bool is_foreign(const std::string& library) { return !library.empty() && library.rfind("libgputide", 0) != 0; }
std::string owner_name(const call_stack& stack) { return base_name(owner(stack)); }

foreign& counts_of(const std::string& library) {
    for (foreign& entry : here->libraries) {
        if (entry.library[0] == '\0') library.copy(entry.library.data(), entry.library.size() - 1);
        if (library == entry.library.data()) return entry;
    }
    return here->libraries.back();
}

void print(const call_stack& stack) {
    for (int i = 0; i < stack.depth; ++i) {
        Dl_info info{};
        void* address = stack.frames[static_cast<std::size_t>(i)];
        if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) continue;
        std::printf("    %s %s +0x%zx\n", base_name(info.dli_fname).c_str(),
                    info.dli_sname == nullptr ? "" : info.dli_sname,
                    static_cast<std::size_t>(static_cast<char*>(address) - static_cast<char*>(info.dli_fbase)));
    }
}

void refuse(const scenario& what, const std::string& why) {
    if (++here->wrong > max_shown) return;
    std::printf("FAILED %s, allocation %ld%s: %s\n", what.name, here->number,
                here->how == failing::once ? "" : " and all behind it", why.c_str());
    print(here->memory.at);
}

gputide_status run_once(const scenario& what) {
    arm(here->number, here->how, here->memory);
    const gputide_status out = what.run();
    disarm();
    return out;
}

void judge(const scenario& what, gputide_status status) {
    if (status == GPUTIDE_E_NO_MEMORY) {
        ++here->refused;
    } else if (status == GPUTIDE_OK) {
        ++here->done_without;
    } else if (const std::string whose = owner_name(here->memory.at); is_foreign(whose)) {
        ++counts_of(whose).other_status;
    } else {
        refuse(what, gputide_status_name(status));
    }
}

// A cache takes memory once; a leak comes again.
void judge_left(const scenario& what) {
    for (int again = 0; again < 2; ++again) {
        if (here->memory.live <= 0) return;
        run_once(what);
    }
    if (here->memory.live <= 0) return;
    watch_blocks(true);
    run_once(what);
    watch_blocks(false);
    const std::string whose = owner_name(here->memory.at);
    bool theirs = is_foreign(whose);
    each_left([&](const call_stack& made) { theirs = theirs && is_foreign(owner_name(made)); });
    if (theirs) {
        ++counts_of(whose).left_blocks;
        return;
    }
    refuse(what, std::to_string(here->memory.live) + " blocks are left");
    if (here->wrong > max_shown) return;
    int shown = 0;
    each_left([&](const call_stack& made) {
        if (++shown > max_shown) return;
        std::printf("  left:\n");
        print(made);
    });
}

// Goes on where the process before has ended.
void exercise(const scenario& what) {
    for (; here->number < max_allocations; ++here->number) {
        const gputide_status status = run_once(what);
        if (!here->memory.failed) {
            if (status != GPUTIDE_OK) refuse(what, "it does not get through any more");
            here->allocations[static_cast<std::size_t>(here->how)] = here->number;
            if (here->how == failing::from_then_on) {
                here->through = true;
                return;
            }
            here->how = failing::from_then_on;
            here->number = -1;
            continue;
        }
        judge(what, status);
        judge_left(what);
    }
    refuse(what, "no end");
}

void crashed(int signal) {
    disarm();
    here->crash = own_stack();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

[[noreturn]] void run_alone(const scenario& what, const std::string& calls) {
    ::alarm(longest_s);
    for (const int signal_number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal_number, crashed);
    notes = true;
    if (const gputide_status first = what.run(); first != GPUTIDE_OK) {
        refuse(what, std::string(gputide_status_name(first)) + " with all the memory that it wants");
        here->through = true;
    } else {
        notes = false;
        std::ofstream out(calls, std::ios::app);
        for (const std::string& name : noted) out << name << "\n";
        out.close();
        for (int warm = 0; warm < 3; ++warm) (void)what.run();  // caches fill
        exercise(what);
    }
    std::fflush(stdout);
    ::_exit(0);
}

void print_line(const char* name) {
    std::printf("%-28s %7ld allocations, %7ld refused, %6ld done without", name, here->allocations[0], here->refused,
                here->done_without);
    for (const foreign& entry : here->libraries) {
        if (entry.library[0] == '\0') continue;
        std::printf("; %s: %ld with a status of its own, %ld with blocks left, %ld crashes", entry.library.data(),
                    entry.other_status, entry.left_blocks, entry.crashes);
    }
    std::printf("\n");
}

bool run(const scenario& what, const std::string& calls) {
    *here = {};
    while (!here->through && here->wrong <= max_shown) {
        std::fflush(stdout);
        const pid_t child = ::fork();
        if (child == 0) run_alone(what, calls);
        int status = 0;
        if (child < 0 || ::waitpid(child, &status, 0) != child) return false;
        if (!WIFSIGNALED(status)) continue;
        const std::string broken = owner_name(here->crash), whose = owner_name(here->memory.at);
        if (here->memory.failed && is_foreign(whose) && is_foreign(broken)) {
            ++counts_of(broken).crashes;
        } else {
            refuse(what, "ended by signal " + std::to_string(WTERMSIG(status)) + ", here:");
            print(here->crash);
        }
        if (WTERMSIG(status) == SIGALRM) break;
        ++here->number;
    }
    print_line(what.name);
    return here->through && here->wrong == 0;
}

std::set<std::string> lines_of(const std::string& path) {
    std::set<std::string> out;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
        if (!line.empty()) out.insert(line.substr(0, line.find(' ')));
    }
    return out;
}

bool all_called(const std::string& exports, const std::string& calls) {
    const std::set<std::string> wanted = lines_of(exports), had = lines_of(calls);
    bool good = !wanted.empty();
    for (const std::string& name : wanted) {
        if (had.count(name) != 0) continue;
        std::printf("FAILED: no scenario calls %s\n", name.c_str());
        good = false;
    }
    std::printf("%zu functions of %zu\n", had.size(), wanted.size());
    return good;
}

int everything(const std::string& exports, const std::string& only) {
    char made[] = "/tmp/gputide-exhaustion-XXXXXX";
    if (::mkdtemp(made) == nullptr) return 2;
    folder = made;
    ::mkdir((folder + "/a").c_str(), 0700);
    std::ofstream(folder + "/a/token") << "a-token";
    url = "http://127.0.0.1:" + std::to_string(start_peer());
    std::ofstream(kubeconfig()) << "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                                   "contexts: [{name: c, context: {cluster: c, user: u}}]\n"
                                   "clusters: [{name: c, cluster: {server: \""
                                << url << "\"}}]\nusers: [{name: u, user: {token: t}}]\n";
    const std::string calls = folder + "/calls";
    void* shared = ::mmap(nullptr, sizeof(progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 2;
    here = new (shared) progress;

    std::vector<scenario> all;
    add_values(all);
    add_decisions(all);
    add_peers(all);
    add_runtime(all);
    add_planning(all);
    bool good = true;
    for (const scenario& scenario : all) {
        if (only.empty() || only == scenario.name) good = run(scenario, calls) && good;
    }
    if (only.empty()) good = all_called(exports, calls) && good;
    for (const char* file : {"/calls", "/a/token", "/kubeconfig"}) ::unlink((folder + file).c_str());
    ::rmdir((folder + "/a").c_str());
    ::rmdir(folder.c_str());
    return good ? 0 : 1;
}

}  // namespace

const char* peer_url() { return url.c_str(); }
const char* secrets_folder() { return folder.c_str(); }
const char* kubeconfig() {
    static const std::string path = folder + "/kubeconfig";
    return path.c_str();
}

void note(const char* function) {
    if (notes) noted.insert(function);
}

}  // namespace exhaustion

int main(int count, char** arguments) {
    if (count < 2 || count > 3) {
        std::fprintf(stderr, "usage: gputide_exhaustion EXPORTS [SCENARIO]\n");
        return 2;
    }
    return exhaustion::everything(arguments[1], count == 3 ? arguments[2] : "");
}
