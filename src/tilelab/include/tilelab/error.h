// TILELAB_ERROR("…") before a function: no call of it may be left once the compiler has optimised.
// The build empties the macro to find out which line of the kernel such a call comes from.
#pragma once

#ifndef TILELAB_ERROR
#define TILELAB_ERROR(text) [[gnu::error(text)]]
#endif
