// Every PTO instruction passes here, with its operands: the engine is told what it reads and writes.
#ifndef TILELAB_TRACE_HPP
#define TILELAB_TRACE_HPP
#include <cstdint>
#include <ostream>
#include <source_location>
#include <string_view>
#include <type_traits>

#include <pto/common/pto_tile.hpp>
#include <pto/common/type.hpp>

namespace pto::cpu_sim {
inline constexpr bool kInstructionTraceEnabled = false;
inline void ResetInstructionTrace() {}
inline void DumpInstructionTraceJson(std::ostream&) {}
} // namespace pto::cpu_sim

#include "tilelab/operands.hpp"
#include "tilelab/roles.hpp"

namespace tilelab {
struct Name {
    const char* text;
    std::source_location where;
    // Converted at the instruction's own function, whose name tells its template arguments.
    constexpr Name(const char* name, std::source_location here = std::source_location::current())
        : text(name), where(here)
    {}
};

inline int nesting = 0; // an instruction that calls others is one instruction

template <class T>
inline constexpr bool is_tile = pto::is_tile_data_v<std::remove_cvref_t<T>>;
template <class T>
inline constexpr bool is_global = pto::is_global_data_v<std::remove_cvref_t<T>>;
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<std::remove_cvref_t<T>>;
} // namespace tilelab

namespace pto::cpu_sim {
class PtoInstrTraceScope {
public:
    template <typename... Args>
    __attribute__((always_inline)) explicit PtoInstrTraceScope(tilelab::Name name, int outputs, Args&&... args)
    {
        if (tilelab::nesting++ == 0) {
            tilelab::Operands found(name.text, name.where.function_name());
            if (std::string_view(name.text).starts_with("TMATMUL") && (get_ctrl() >> 46 & 1)) {
                tl_fail("the Cube's TF32 mode (SetMadTF32Mode) is not modelled");
            }
            describe(found, name.text, outputs, args...);
            found.send();
        }
    }

    template <typename... Args>
    __attribute__((always_inline)) explicit PtoInstrTraceScope(tilelab::Name name, const char* roles, Args&&... args)
    {
        if (tilelab::nesting++ == 0) {
            tilelab::Operands found(name.text, name.where.function_name());
            const std::string_view known = tilelab::roles_of(name.text, count<Args...>());
            lettered(found, known.empty() ? std::string_view(roles) : known, args...);
            found.send();
        }
    }

    __attribute__((always_inline)) ~PtoInstrTraceScope() { --tilelab::nesting; }
    PtoInstrTraceScope(const PtoInstrTraceScope&) = delete;
    PtoInstrTraceScope& operator=(const PtoInstrTraceScope&) = delete;

private:
    static tilelab::Role role(char letter)
    {
        switch (letter) {
            case 'O':
            case 'S':
                return tilelab::WRITE;
            case 'B':
                return tilelab::BOTH;
            case 'P':
                return tilelab::PART;
            default:
                return tilelab::READ;
        }
    }

    // Tiles, global tensors, and pointers to tiles, which may be null.
    template <class T>
    static constexpr bool is_operand =
        tilelab::is_tile<T> || tilelab::is_global<T> ||
        (std::is_pointer_v<std::remove_cvref_t<T>> && tilelab::is_tile<std::remove_pointer_t<std::remove_cvref_t<T>>>);

    template <class... Args>
    static constexpr size_t count()
    {
        return (size_t{0} + ... + size_t{is_operand<Args>});
    }

    template <class... Args>
    static void lettered(tilelab::Operands& found, std::string_view letters, Args&... args)
    {
        size_t at = 0;
        ((void)(is_operand<Args> && (one(found, role(at < letters.size() ? letters[at] : 'I'), args), ++at)), ...);
    }

    template <class T>
    static void one(tilelab::Operands& found, tilelab::Role role, T& operand)
    {
        if constexpr (tilelab::is_tile<T>) {
            found.tile(role, operand);
        } else if constexpr (tilelab::is_global<T>) {
            found.global(role, operand);
        } else if constexpr (is_operand<T>) {
            if (operand != nullptr) {
                found.tile(role, *operand);
            }
        }
    }

    template <class Dst, class Src, class... Rest>
    static void describe(tilelab::Operands& found, const char* name, int outputs, Dst& dst, Src& src, Rest&... rest)
    {
        const std::string_view op(name);
        if constexpr (tilelab::is_tile<Dst> && tilelab::is_tile<Src>) {
            int64_t numbers[2] = {0, 0};
            int64_t last[2] = {0, 0};
            int count = 0;
            ((void)take(rest, last, count), ...);
            numbers[0] = count > 1 ? last[0] : 0;
            numbers[1] = count > 0 ? last[1] : 0;
            if (op == "TEXTRACT" || op == "TEXTRACT_FP") {
                found.tile(tilelab::WRITE, dst);
                found.tile(tilelab::READ, src, numbers[0], numbers[1], dst.GetValidRow(), dst.GetValidCol());
                return;
            }
            if (op == "TINSERT" || op == "TINSERT_FP") {
                found.tile(tilelab::WRITE, dst, numbers[0], numbers[1], src.GetValidRow(), src.GetValidCol());
                found.tile(tilelab::READ, src);
                return;
            }
        }
        if constexpr (tilelab::is_tile<Dst> && tilelab::is_global<Src>) {
            found.tile(tilelab::WRITE, dst);
            found.global(tilelab::READ, src);
            return;
        }
        all(found, name, outputs, dst, src, rest...);
    }

    template <class... Args>
    static void describe(tilelab::Operands& found, const char* name, int outputs, Args&... args)
    {
        all(found, name, outputs, args...);
    }

    template <class... Args>
    static void all(tilelab::Operands& found, const char* name, int outputs, Args&... args)
    {
        const std::string_view known = tilelab::roles_of(name, count<Args...>());
        if (known.empty()) {
            ((void)one(found, outputs-- > 0 ? tilelab::WRITE : tilelab::READ, args), ...);
        } else {
            lettered(found, known, args...);
        }
    }

    template <class T>
    static void take(T& value, int64_t (&last)[2], int& count)
    {
        if constexpr (tilelab::is_number<T>) {
            last[0] = last[1];
            last[1] = static_cast<int64_t>(value);
            ++count;
        }
    }
};
} // namespace pto::cpu_sim
#endif
