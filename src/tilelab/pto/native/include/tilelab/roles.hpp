// What an instruction does with each of its operands, where the user's header does not say it as the NPU has it: the
// header takes the first to be written and all others to be read.
#ifndef TILELAB_ROLES_HPP
#define TILELAB_ROLES_HPP
#include <string_view>

namespace tilelab {
// Of the tiles and global tensors, in their order. O written, I read, B read and written, P written in part, S scratch:
// written, and nobody's result. Source: pto-isa include/pto/npu/*/, the functions of these names.
struct Roles {
    std::string_view op, operands;
};

inline constexpr Roles kRoles[] = {
    {"MGATHER", "OIIS"},
    {"MSCATTER", "PII"},
    {"TADDDEQRELU", "OIIS"},
    {"TAXPY", "BI"},
    {"TCI", "OS"},
    {"TCOLARGMAX", "OIS"},
    {"TCOLARGMAX", "OOIS"},
    {"TCOLARGMIN", "OIS"},
    {"TCOLARGMIN", "OOIS"},
    {"TCOLSUM", "OIS"},
    {"TCONCAT", "OIIOII"},
    {"TDEINTERLEAVE", "OOI"},
    {"TDEINTERLEAVE", "OOII"},
    {"TEXTRACT_ND2XNZ", "OOI"},
    {"TFUSEDMULADD", "BII"},
    {"TFUSEDMULADDRELU", "BII"},
    {"TGATHER", "OIIS"},
    {"TGATHER", "OIIOS"},
    {"TGEMV_ACC", "BII"},
    {"TINTERLEAVE", "OOII"},
    {"TMATMUL_ACC", "BII"},
    {"TMRGSORT", "OSII"},
    {"TMRGSORT", "OSIII"},
    {"TMRGSORT", "OSIIII"},
    {"TMULADDDST", "BII"},
    {"TPOW", "OIIS"},
    {"TPOWS", "OIS"},
    {"TPRELU", "OIIS"},
    {"TREM", "OIIS"},
    {"TREMS", "OIS"},
    {"TROWARGMAX", "OIS"},
    {"TROWARGMAX", "OOIS"},
    {"TROWARGMIN", "OIS"},
    {"TROWARGMIN", "OOIS"},
    {"TROWEXPANDADD", "OIIS"},
    {"TROWEXPANDDIV", "OIIS"},
    {"TROWEXPANDEXPDIF", "OIIS"},
    {"TROWEXPANDMAX", "OIIS"},
    {"TROWEXPANDMIN", "OIIS"},
    {"TROWEXPANDMUL", "OIIS"},
    {"TROWEXPANDSUB", "OIIS"},
    {"TROWMAX", "OIS"},
    {"TROWMIN", "OIS"},
    {"TROWPROD", "OIS"},
    {"TROWSUM", "OIS"},
    {"TRSQRT", "OIS"},
    {"TSCATTER", "PI"},
    {"TSCATTER", "PII"},
    {"TSEL", "OIIIS"},
    {"TSELS", "OIIS"},
    {"TSORT32", "OII"},
    {"TSORT32", "OIIS"},
    {"TTRANS", "OIS"},
    {"TXOR", "OIIS"},
    {"TXORS", "OIS"},
};

// The letters of an instruction with so many operands; none where the header is right.
constexpr std::string_view roles_of(std::string_view op, size_t count)
{
    for (const Roles& row : kRoles) {
        if (row.op == op && row.operands.size() == count) {
            return row.operands;
        }
    }
    return {};
}
} // namespace tilelab
#endif
