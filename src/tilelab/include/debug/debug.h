// The vendor's C++ library has such a header: checks of its own, which are off there. Nothing here.
#pragma once
