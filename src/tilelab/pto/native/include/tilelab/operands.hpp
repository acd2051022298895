// Which bytes an operand is: rows of a length at a distance. Boxed tiles are columns of 32-byte blocks.
#ifndef TILELAB_OPERANDS_HPP
#define TILELAB_OPERANDS_HPP
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <pto/common/pto_tile.hpp>
#include <pto/cpu/NPUMemoryModel.hpp>

namespace tilelab {
enum Role : int64_t { READ = 1, WRITE = 2, BOTH = 3, PART = 6 }; // a part is written, and the rest stays

class Operands {
public:
    explicit Operands(const char* name, const char* function) : words_{word(name), word(function), 0} {}

    void span(Role role, int64_t place, const void* address, int64_t rows, int64_t bytes, int64_t stride)
    {
        if (rows > 0 && bytes > 0 && count_ < kMost) {
            const int64_t all[] = {role, place, static_cast<int64_t>(reinterpret_cast<uintptr_t>(address)), rows, bytes,
                                   stride};
            words_.insert(words_.end(), all, all + 6);
            ++count_;
        }
    }

    // The valid part of a tile, or a window of it.
    template <class Tile>
    void tile(Role role, const Tile& t, int64_t row = 0, int64_t col = 0, int64_t rows = -1, int64_t cols = -1)
    {
        using T = typename Tile::DType;
        constexpr int64_t size = sizeof(T);
        constexpr int64_t kRows = Tile::Rows, kCols = Tile::Cols;
        rows = rows < 0 ? static_cast<int64_t>(t.GetValidRow()) : rows;
        cols = cols < 0 ? static_cast<int64_t>(t.GetValidCol()) : cols;
        const char* base = reinterpret_cast<const char*>(t.data());
        if (base == nullptr) {
            return;
        }
        const int64_t place = place_of<Tile>();
        if constexpr (Tile::SFractal == pto::SLayout::NoneBox && Tile::isRowMajor) {
            span(role, place, base + (row * kCols + col) * size, rows, cols * size, kCols * size);
        } else if constexpr (Tile::SFractal == pto::SLayout::NoneBox) {
            span(role, place, base + (col * kRows + row) * size, cols, rows * size, kRows * size);
        } else if constexpr (!Tile::isRowMajor && Tile::SFractal == pto::SLayout::RowMajor) {
            constexpr int64_t inner = Tile::getInnerCol();
            const int64_t first = col / inner, last = (col + cols + inner - 1) / inner;
            span(role, place, base + (first * kRows * inner + row * inner) * size, last - first, rows * inner * size,
                 kRows * inner * size);
        } else if constexpr (Tile::isRowMajor && Tile::SFractal == pto::SLayout::ColMajor) {
            constexpr int64_t inner = Tile::getInnerRow();
            const int64_t first = row / inner, last = (row + rows + inner - 1) / inner;
            span(role, place, base + (first * kCols * inner + col * inner) * size, last - first, cols * inner * size,
                 kCols * inner * size);
        } else {
            span(role, place, base, 1, kRows * kCols * size, kRows * kCols * size);
        }
    }

    template <class Global>
    void global(Role role, Global& g)
    {
        constexpr int64_t size = sizeof(typename Global::RawDType);
        std::array<int64_t, 5> shape{}, stride{};
        for (int dim = 0; dim < 5; ++dim) {
            shape[dim] = g.GetShape(dim);
            stride[dim] = g.GetStride(dim);
        }
        if (g.data() == nullptr) {
            return;
        }
        std::vector<int> dims;
        for (int dim = 0; dim < 5; ++dim) {
            if (shape[dim] > 1) {
                dims.push_back(dim);
            }
        }
        std::sort(dims.begin(), dims.end(), [&](int a, int b) { return stride[a] > stride[b]; });
        int64_t bytes = size, rows = 1, distance = 0;
        while (!dims.empty() && stride[dims.back()] * size == bytes) { // what continues the row
            bytes *= shape[dims.back()];
            dims.pop_back();
        }
        if (!dims.empty()) {
            rows = shape[dims.back()];
            distance = stride[dims.back()] * size;
            dims.pop_back();
        }
        walk(role, reinterpret_cast<const char*>(g.data()), dims, 0, shape, stride, size, rows, bytes, distance);
    }

    // Inlined, so that the record carries the place in the kernel.
    __attribute__((always_inline)) void send()
    {
        words_[2] = count_;
        tl_note(TL_OP, static_cast<int64_t>(words_.size()), words_.data());
    }

private:
    void walk(Role role, const char* base, const std::vector<int>& dims, size_t at, const std::array<int64_t, 5>& shape,
              const std::array<int64_t, 5>& stride, int64_t size, int64_t rows, int64_t bytes, int64_t distance)
    {
        if (at == dims.size()) {
            span(role, TL_GM, base, rows, bytes, distance);
            return;
        }
        for (int64_t i = 0; i < shape[dims[at]]; ++i) {
            walk(role, base + i * stride[dims[at]] * size, dims, at + 1, shape, stride, size, rows, bytes, distance);
        }
    }

    static constexpr int64_t kMost = 4096;
    std::vector<int64_t> words_;
    int64_t count_ = 0;
};
} // namespace tilelab
#endif
