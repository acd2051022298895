// The part of GoogleTest that kernel tests use: cases run one by one, by name.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace testing {
class TestInfo {
public:
    TestInfo(std::string suite, std::string name) : suite_(std::move(suite)), name_(std::move(name)) {}
    const char* name() const { return name_.c_str(); }
    const char* test_suite_name() const { return suite_.c_str(); }
    const char* test_case_name() const { return suite_.c_str(); }

private:
    std::string suite_, name_;
};

class Test {
public:
    virtual ~Test() = default;
    static void SetUpTestSuite() {}
    static void TearDownTestSuite() {}
    static void SetUpTestCase() {}
    static void TearDownTestCase() {}
    virtual void SetUp() {}
    virtual void TearDown() {}
    virtual void TestBody() = 0;
};

struct Case {
    TestInfo info;
    std::function<Test*()> make;
};

class UnitTest {
public:
    static UnitTest* GetInstance()
    {
        static UnitTest only;
        return &only;
    }
    const TestInfo* current_test_info() const { return current; }
    std::vector<Case> cases;
    const TestInfo* current = nullptr;
    bool failed = false;
    std::string filter = "*";
};

inline bool add_case(const char* suite, const char* name, std::function<Test*()> make)
{
    UnitTest::GetInstance()->cases.push_back({TestInfo(suite, name), std::move(make)});
    return true;
}

inline bool matches(const char* pattern, const char* text)
{
    if (*pattern == '*') {
        return matches(pattern + 1, text) || (*text != 0 && matches(pattern, text + 1));
    }
    if (*pattern == 0 || *text == 0) {
        return *pattern == *text;
    }
    return (*pattern == '?' || *pattern == *text) && matches(pattern + 1, text + 1);
}

// A filter: patterns with colons between them; behind a minus those of cases that are left out.
inline bool any_matches(const std::string& patterns, const char* text)
{
    for (size_t at = 0; at <= patterns.size();) {
        const size_t end = std::min(patterns.find(':', at), patterns.size());
        if (matches(patterns.substr(at, end - at).c_str(), text)) {
            return true;
        }
        at = end + 1;
    }
    return false;
}

inline bool chosen(const std::string& filter, const char* text)
{
    const size_t minus = std::min(filter.find('-'), filter.size());
    const bool wanted = minus == 0 && minus < filter.size() || any_matches(filter.substr(0, minus), text);
    return wanted && !(minus < filter.size() && any_matches(filter.substr(minus + 1), text));
}

inline void InitGoogleTest(int* count, char** arguments)
{
    for (int i = 1; i < *count; ++i) {
        if (std::strncmp(arguments[i], "--gtest_filter=", 15) == 0) {
            UnitTest::GetInstance()->filter = arguments[i] + 15;
        }
    }
}
inline void InitGoogleTest() {}

class Failure {
public:
    Failure(bool ok, const char* text, const char* file, int line) : ok_(ok)
    {
        if (!ok_) {
            UnitTest::GetInstance()->failed = true;
            out_ << file << ":" << line << ": failed: " << text << " ";
        }
    }
    Failure(const Failure&) = delete;
    ~Failure()
    {
        if (!ok_) {
            std::cout << out_.str() << std::endl;
        }
    }
    template <class T>
    Failure& operator<<(const T& value)
    {
        out_ << value;
        return *this;
    }

private:
    bool ok_;
    std::ostringstream out_;
};
struct Return {
    void operator=(const Failure&) const {}
};
} // namespace testing

int tilelab_run_tests();
#define RUN_ALL_TESTS() tilelab_run_tests()
#define TL_TEST_CLASS(suite, name) suite##_##name##_Test
#define TL_TEST(suite, name, base)                                                                   \
    class TL_TEST_CLASS(suite, name) : public base {                                                 \
        void TestBody() override;                                                                    \
    };                                                                                               \
    static const bool suite##_##name##_added =                                                       \
        ::testing::add_case(#suite, #name, []() -> ::testing::Test* { return new TL_TEST_CLASS(suite, name); }); \
    void TL_TEST_CLASS(suite, name)::TestBody()
#define TEST(suite, name) TL_TEST(suite, name, ::testing::Test)
#define TEST_F(suite, name) TL_TEST(suite, name, suite)
#define TL_EXPECT(condition, text) ::testing::Failure((condition), text, __FILE__, __LINE__)
#define TL_ASSERT(condition, text) \
    if (condition) {               \
    } else                         \
        return ::testing::Return() = TL_EXPECT(false, text)
#define EXPECT_TRUE(a) TL_EXPECT(static_cast<bool>(a), #a)
#define EXPECT_FALSE(a) TL_EXPECT(!static_cast<bool>(a), "not " #a)
#define EXPECT_EQ(a, b) TL_EXPECT((a) == (b), #a " == " #b)
#define EXPECT_NE(a, b) TL_EXPECT((a) != (b), #a " != " #b)
#define EXPECT_LT(a, b) TL_EXPECT((a) < (b), #a " < " #b)
#define EXPECT_LE(a, b) TL_EXPECT((a) <= (b), #a " <= " #b)
#define EXPECT_GT(a, b) TL_EXPECT((a) > (b), #a " > " #b)
#define EXPECT_GE(a, b) TL_EXPECT((a) >= (b), #a " >= " #b)
#define EXPECT_NEAR(a, b, e) TL_EXPECT(std::fabs(double(a) - double(b)) <= (e), #a " near " #b)
#define EXPECT_FLOAT_EQ(a, b) EXPECT_NEAR(a, b, 4e-7 * std::fabs(double(b)) + 1e-30)
#define ASSERT_TRUE(a) TL_ASSERT(static_cast<bool>(a), #a)
#define ASSERT_FALSE(a) TL_ASSERT(!static_cast<bool>(a), "not " #a)
#define ASSERT_EQ(a, b) TL_ASSERT((a) == (b), #a " == " #b)
#define ASSERT_NE(a, b) TL_ASSERT((a) != (b), #a " != " #b)
#define FAIL() TL_ASSERT(false, "FAIL()")
#define SUCCEED() ((void)0)
