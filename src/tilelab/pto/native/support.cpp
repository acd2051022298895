// Linked into every library: asserts that stop the core and not the process, and the runner of gtest cases.
#include "gtest/gtest.h"
#include "tilelab/native.h"

extern "C" {
[[noreturn]] void __assert_fail(const char* what, const char* file, unsigned line, const char*) noexcept
{
    static char text[1024];
    std::snprintf(text, sizeof text, "assertion failed: %.700s (%.250s:%u)", what, file, line);
    tl_fail(text);
}
void abort() noexcept { tl_fail("abort() was called"); }
}

namespace {
int64_t* answer = nullptr; // where what the host's main returns goes
}

extern "C" void exit(int status) noexcept
{
    if (!tl_is_host()) {
        tl_fail("exit() was called");
    }
    *answer = status;
    tl_end();
}

int tilelab_run_tests()
{
    auto* all = testing::UnitTest::GetInstance();
    int run = 0, failed = 0;
    for (auto& one : all->cases) {
        const std::string name = std::string(one.info.test_suite_name()) + "." + one.info.name();
        if (!testing::chosen(all->filter, name.c_str())) {
            continue;
        }
        all->current = &one.info;
        all->failed = false;
        testing::Test* test = one.make();
        test->SetUp();
        test->TestBody();
        test->TearDown();
        delete test;
        ++run;
        failed += all->failed;
        std::printf("%s %s\n", all->failed ? "FAILED" : "ok", name.c_str());
        std::fflush(stdout);
    }
    if (run == 0) {
        std::printf("no test case matches %s\n", all->filter.c_str());
        return 2;
    }
    return failed != 0;
}

extern "C" int tilelab_list_tests()
{
    for (auto& one : testing::UnitTest::GetInstance()->cases) {
        std::printf("%s.%s\n", one.info.test_suite_name(), one.info.name());
    }
    std::fflush(stdout);
    return static_cast<int>(testing::UnitTest::GetInstance()->cases.size());
}

extern "C" int tilelab_test_main(int count, char** arguments)
{
    testing::InitGoogleTest(&count, arguments);
    return tilelab_run_tests();
}

// The host's main as a coroutine's entry: its address, count, arguments, and where its answer goes.
extern "C" void tilelab_call_main(void* packed)
{
    auto* words = static_cast<int64_t*>(packed);
    auto* call = reinterpret_cast<int (*)(int, char**)>(words[0]);
    answer = reinterpret_cast<int64_t*>(words[3]);
    *answer = call(static_cast<int>(words[1]), reinterpret_cast<char**>(words[2]));
}
