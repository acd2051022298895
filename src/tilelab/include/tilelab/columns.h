// Functions that go down a tile's columns, row after row, on the vector unit's own instructions: running
// sums, exponential averages, sums of rows by number. Four LRegs take four rows, each a part of their
// columns; transposed each has a row. What goes on from tile to tile stays in LRegs, so no other function
// of vectors may stand between.
#pragma once

#include <tilelab/vector.h>

namespace tilelab {

#ifdef TRISC_MATH
constexpr uint32_t ROWS_OF_TILE = 64;  // of 16 numbers

// Rows 4 n … 4 n + 3 of a tile, to or from four LRegs.
constexpr uint32_t four_rows(uint32_t n) { return 4 * (n % 4) + 32 * (n / 4); }
[[gnu::always_inline]] inline void load_rows(uint32_t lreg, uint32_t row) {
    TT_SFPLOAD(lreg, 0, sfpi::SFPLOAD_ADDR_MODE_NOINC, row);
    TT_SFPLOAD(lreg + 1, 0, sfpi::SFPLOAD_ADDR_MODE_NOINC, row + 2);
    TT_SFPLOAD(lreg + 2, 0, sfpi::SFPLOAD_ADDR_MODE_NOINC, row + 16);
    TT_SFPLOAD(lreg + 3, 0, sfpi::SFPLOAD_ADDR_MODE_NOINC, row + 18);
}
[[gnu::always_inline]] inline void store_rows(uint32_t lreg, uint32_t row) {
    TT_SFPSTORE(lreg, 0, sfpi::SFPSTORE_ADDR_MODE_NOINC, row);
    TT_SFPSTORE(lreg + 1, 0, sfpi::SFPSTORE_ADDR_MODE_NOINC, row + 2);
    TT_SFPSTORE(lreg + 2, 0, sfpi::SFPSTORE_ADDR_MODE_NOINC, row + 16);
    TT_SFPSTORE(lreg + 3, 0, sfpi::SFPSTORE_ADDR_MODE_NOINC, row + 18);
}

// LReg `to` = its number + that of `from`; a result is there two instructions later.
[[gnu::always_inline]] inline void add_row(uint32_t from, uint32_t to) {
    TT_SFPADD(p_sfpu::LCONST_1, from, to, to, 0);
    TTI_SFPNOP;
}
#endif

}  // namespace tilelab

// Tile = for each column the sum of its numbers down to here, on from the tile before unless `first`.
[[gnu::always_inline]] inline void cumsum_tile_init() {}
[[gnu::always_inline]] inline void cumsum_tile(uint32_t dst_index, bool first = true) {
#ifdef TRISC_MATH
    tilelab::vectors_of_tile(dst_index, [first] {
        using namespace tilelab;
        if (first)
            for (uint32_t lreg = 4; lreg < 8; ++lreg) TT_SFPLOADI(lreg, 0, 0);
        for (uint32_t n = 0; n < 8; ++n) {
            const uint32_t lreg = n % 2 * 4, row = four_rows(n);
            load_rows(lreg, row);
            TTI_SFPTRANSP(0, 0, 0, 0);
            add_row(7 - lreg, lreg);
            for (uint32_t i = 0; i < 3; ++i) add_row(lreg + i, lreg + i + 1);
            TTI_SFPTRANSP(0, 0, 0, 0);
            store_rows(lreg, row);
        }
    });
#endif
}

// Tile 1 behind = for each column old × alpha + number × beta, row after row; numbers' bits are given.
[[gnu::always_inline]] inline void ema_init(uint32_t alpha, uint32_t beta) {
#ifdef TRISC_MATH
    constexpr uint32_t LOW = sfpi::SFPLOADI_MOD0_LOWER, HIGH = sfpi::SFPLOADI_MOD0_UPPER;
    TT_SFPLOADI(p_sfpu::LREG5, LOW, alpha & 0xFFFF);
    TT_SFPLOADI(p_sfpu::LREG5, HIGH, alpha >> 16);
    TT_SFPLOADI(p_sfpu::LREG6, LOW, beta & 0xFFFF);
    TT_SFPLOADI(p_sfpu::LREG6, HIGH, beta >> 16);
#endif
}
[[gnu::always_inline]] inline void ema_clear_previous_output() {
    MATH(TTI_SFPLOADI(p_sfpu::LREG4, 0, 0));
}
[[gnu::always_inline]] inline void ema_tile(uint32_t dst_index) {
#ifdef TRISC_MATH
    tilelab::vectors_of_tile(dst_index, [] {
        using namespace tilelab;
        TTI_SFPTRANSP(0, 0, 0, 0);
        for (uint32_t n = 0; n < 8; ++n) {
            load_rows(0, four_rows(n));
            TTI_SFPTRANSP(0, 0, 0, 0);
            for (uint32_t i = 0, old = 4; i < 4; old = i++) {
                TT_SFPMAD(p_sfpu::LREG5, old, p_sfpu::LCONST_0, p_sfpu::LREG7, 0);
                TTI_SFPNOP;
                TT_SFPMAD(p_sfpu::LREG6, i, p_sfpu::LREG7, i, 0);
                TTI_SFPNOP;
            }
            TTI_SFPMOV(0, p_sfpu::LREG3, p_sfpu::LREG4, 0);
            TTI_SFPTRANSP(0, 0, 0, 0);
            store_rows(0, four_rows(n) + ROWS_OF_TILE);
        }
        TTI_SFPTRANSP(0, 0, 0, 0);
    });
#endif
}

// Row n of a tile is added to row at[n] of the tile behind, unless that is no row. `at` lies 16 bytes
// behind the address, as the vendor's tiles had a header once.
[[gnu::always_inline]] inline void reshuffle_rows_tile_init() {}
[[gnu::always_inline]] inline void reshuffle_rows_tile(uint32_t dst_index, uint32_t address) {
#ifdef TRISC_MATH
    tilelab::see_other_writers();
    tilelab::vectors_of_tile(dst_index, [address] {
        using namespace tilelab;
        const auto* const at = reinterpret_cast<volatile uint8_t*>(address + 16);
        for (uint32_t row = 0; row < 32; ++row) {
            const uint32_t to = at[row];
            if (to >= 32) continue;
            load_rows(0, four_rows(row / 4));
            load_rows(4, four_rows(to / 4) + ROWS_OF_TILE);
            TTI_SFPTRANSP(0, 0, 0, 0);
            add_row(row % 4, 4 + to % 4);
            TTI_SFPTRANSP(0, 0, 0, 0);
            store_rows(4, four_rows(to / 4) + ROWS_OF_TILE);
        }
    });
#endif
}
