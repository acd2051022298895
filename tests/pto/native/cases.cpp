// Cases by name: those of a filter run, and say so.
#include <cstdio>
#include <gtest/gtest.h>
#include <pto/pto-inst.hpp>

TEST(Add, half) { std::printf("ran Add.half\n"); }
TEST(Add, fp32) { std::printf("ran Add.fp32\n"); }
TEST(Sub, fp32) { std::printf("ran Sub.fp32\n"); }
