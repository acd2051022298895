// The cores as coroutines of one thread: whoever drives them decides which one runs, so every run repeats exactly.
#include "tilelab/native.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <execinfo.h>
#include <sys/mman.h>
#include <ucontext.h>

namespace {
constexpr int kCores = 4; // Cube, two Vector cores, and the host's program
constexpr int kHost = 3;
constexpr int kFrames = 24;
constexpr size_t kStack = 16u << 20;
constexpr size_t kPlace = 4u << 20;

struct Core {
    ucontext_t context;
    char* stack = nullptr;
    std::vector<int64_t> log;
    void (*entry)(void*) = nullptr;
    void* argument = nullptr;
    int64_t reply = 0;
    bool done = true;
};

Core cores[kCores];
ucontext_t driver;
int current = -1;
int block = 0, blocks = 1, lanes = 2;
char* arena = nullptr;
std::vector<std::string>& texts()
{
    static std::vector<std::string> kept;
    return kept;
}

void stop()
{
    Core& core = cores[current];
    swapcontext(&core.context, &driver);
}

void append(Core& core, int64_t kind, int64_t count, const int64_t* words, const void* from)
{
    core.log.push_back(kind);
    core.log.push_back(count);
    core.log.push_back(reinterpret_cast<int64_t>(from));
    core.log.insert(core.log.end(), words, words + count);
}

void run_core()
{
    Core& core = cores[current];
    try {
        core.entry(core.argument);
    } catch (const std::exception& error) {
        tl_fail(error.what());
    } catch (...) {
        tl_fail("an exception that is not a std::exception");
    }
    core.done = true;
    stop();
}

void on_fault(int signal, siginfo_t* info, void*)
{
    if (current < 0) {
        std::signal(signal, SIG_DFL);
        raise(signal);
        return;
    }
    char text[128];
    snprintf(text, sizeof text, "%s at address %p",
             signal == SIGSEGV || signal == SIGBUS ? "invalid memory access" : strsignal(signal), info->si_addr);
    tl_fail(text);
}
} // namespace

extern "C" {
void tl_note(int64_t kind, int64_t count, const int64_t* words)
{
    if (current >= 0) {
        append(cores[current], kind, count, words, __builtin_return_address(0));
    }
}

int64_t tl_ask(int64_t kind, int64_t count, const int64_t* words)
{
    if (current < 0) {
        return 0;
    }
    append(cores[current], kind, count, words, __builtin_return_address(0));
    stop();
    return cores[current].reply;
}

[[noreturn]] void tl_fail(const char* text)
{
    if (current < 0) {
        fprintf(stderr, "%s\n", text);
        _exit(70);
    }
    texts().push_back(text);
    int64_t words[kFrames + 1] = {reinterpret_cast<int64_t>(texts().back().c_str())};
    void* frames[kFrames];
    const int count = backtrace(frames, kFrames); // the kernel's line is one of them
    for (int i = 0; i < count; ++i) {
        words[i + 1] = reinterpret_cast<int64_t>(frames[i]);
    }
    append(cores[current], TL_ERROR, count + 1, words, __builtin_return_address(0));
    tl_end();
}

[[noreturn]] void tl_end()
{
    for (;;) {
        cores[current].done = true;
        setcontext(&driver);
    }
}

int tl_is_host() { return current == kHost; }
int tl_lane() { return current == kHost ? -1 : current - 1; }
int tl_block() { return block; }
int tl_blocks() { return blocks; }
int tl_lanes() { return lanes; }
int64_t tl_place_bytes() { return kPlace; }

char* tl_place(int lane, int place) { return arena + ((lane + 1) * TL_PLACES + place) * kPlace; }

int tl_is_local(uint64_t address)
{
    const uint64_t base = reinterpret_cast<uint64_t>(arena);
    return address >= base && address < base + 3 * TL_PLACES * kPlace;
}

std::map<std::string, void (*)(void*)>* tl_registry = nullptr;

void tl_register(const char* name, void (*entry)(void*))
{
    if (tl_registry != nullptr) {
        (*tl_registry)[name] = entry;
    }
}

// What Python calls.
int tl_start_up()
{
    // Below 4 GiB: kernels keep local addresses in 32 bits.
    arena = static_cast<char*>(mmap(nullptr, 3 * TL_PLACES * kPlace, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_32BIT, -1, 0));
    if (arena == MAP_FAILED) {
        return 1;
    }
    static char signal_stack[1 << 16];
    stack_t alternative{};
    alternative.ss_sp = signal_stack;
    alternative.ss_size = sizeof signal_stack;
    sigaltstack(&alternative, nullptr);
    struct sigaction action{};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
        sigaction(number, &action, nullptr);
    }
    return 0;
}

void tl_collect(int which)
{
    static std::map<std::string, void (*)(void*)> registries[kCores];
    tl_registry = which < 0 ? nullptr : &registries[which];
}

void* tl_entry(int which, const char* name)
{
    tl_collect(which);
    auto found = tl_registry->find(name);
    void (*entry)(void*) = found == tl_registry->end() ? nullptr : found->second;
    tl_registry = nullptr;
    return reinterpret_cast<void*>(entry);
}

void tl_begin(int which, void (*entry)(void*), void* argument)
{
    Core& core = cores[which];
    if (core.stack == nullptr) {
        core.stack = static_cast<char*>(
            mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    }
    core.entry = entry;
    core.argument = argument;
    core.done = false;
    core.log.clear();
    getcontext(&core.context);
    core.context.uc_stack.ss_sp = core.stack;
    core.context.uc_stack.ss_size = kStack;
    core.context.uc_link = nullptr;
    makecontext(&core.context, run_core, 0);
}

// Run a core until it stops; 0: it has ended.
int tl_resume(int which, int64_t reply)
{
    Core& core = cores[which];
    const int outer = current;
    current = which;
    core.reply = reply;
    core.log.clear();
    swapcontext(&driver, &core.context);
    current = outer;
    return core.done ? 0 : 1;
}

const int64_t* tl_log(int which) { return cores[which].log.data(); }
int64_t tl_log_words(int which) { return static_cast<int64_t>(cores[which].log.size()); }

void tl_set_block(int index, int count, int vectors)
{
    block = index;
    blocks = count;
    lanes = vectors;
}

void tl_clear_places()
{
    madvise(arena, 3 * TL_PLACES * kPlace, MADV_DONTNEED);
}
}
