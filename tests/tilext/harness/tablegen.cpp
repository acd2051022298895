// Runs the encoder and disassembler that llvm-tblgen generates: reads "NAME value …" lines, prints
// the words and what each decoder table makes of them: "w w | NAME value … | NAME value …".
#include <cstdio>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include "llvm/ADT/APInt.h"
#if __has_include("llvm/TargetParser/Triple.h")
#include "llvm/TargetParser/Triple.h"
#else
#include "llvm/ADT/Triple.h"
#endif
#include "llvm/Config/llvm-config.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCFixup.h"
#if __has_include("llvm/MC/MCDecoderOps.h")
#include "llvm/MC/MCDecoderOps.h"
#else
#include "llvm/MC/MCFixedLenDisassembler.h"
#endif
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCSchedule.h"
#include "llvm/MC/MCSubtargetInfo.h"
#if __has_include("llvm/MC/MCDecoder.h")
#include "llvm/MC/MCDecoder.h"
using namespace llvm::MCD;
#endif
#define DEBUG_TYPE "tilext"
#define TILEXT_REGISTER(Inst, Number) Inst.addOperand(llvm::MCOperand::createImm(Number))
#include "TilextDecoders.h"
#define GET_INSTRINFO_ENUM
#include "gen-instr-info.inc"
using namespace llvm;
typedef MCDisassembler::DecodeStatus DecodeStatus;

struct Bits {  // an instruction of up to 96 bits, as the generated decoder wants it
  unsigned __int128 value = 0;
  Bits() = default;
  Bits(uint64_t v) : value(v) {}
  void insertBits(uint64_t bits, unsigned at, unsigned width) {
    const unsigned __int128 mask = ((unsigned __int128)1 << width) - 1;
    value = (value & ~(mask << at)) | (((unsigned __int128)bits & mask) << at);
  }
  uint64_t extractBitsAsZExtValue(unsigned width, unsigned at) const {
    return (uint64_t)(value >> at) & (width == 64 ? ~0ull : (1ull << width) - 1);
  }
  explicit operator bool() const { return value != 0; }
  Bits operator~() const { Bits b; b.value = ~value; return b; }
  Bits operator&(const Bits &o) const { Bits b; b.value = value & o.value; return b; }
  bool operator==(const Bits &o) const { return value == o.value; }
  bool operator!=(const Bits &o) const { return value != o.value; }
};
static raw_ostream &operator<<(raw_ostream &out, const Bits &) { return out; }

#define DECODE(File)                                                                         \
  static DecodeStatus Decode##File##RegisterClass(MCInst &I, uint64_t n, uint64_t, const void *) { \
    I.addOperand(MCOperand::createImm(n));                                                   \
    return MCDisassembler::Success;                                                          \
  }
DECODE(TR) DECODE(GPR) DECODE(FPR64) DECODE(VR)
#include "gen-disassembler.inc"

class TilextMCCodeEmitter {
 public:
  void getBinaryCodeForInstr(const MCInst &, SmallVectorImpl<MCFixup> &, APInt &, APInt &,
                             const MCSubtargetInfo &) const;
  void getMachineOpValue(const MCInst &, const MCOperand &op, APInt &value,
                         SmallVectorImpl<MCFixup> &, const MCSubtargetInfo &) const {
    value = (uint64_t)op.getImm();
  }
  template <unsigned Width>
  void encodeTilextTied(const MCInst &inst, unsigned op, APInt &value, SmallVectorImpl<MCFixup> &,
                        const MCSubtargetInfo &) const {
    const uint64_t one = inst.getOperand(op).getImm();
    value = one | one << Width;
  }
};
[[noreturn]] static void reportUnsupportedInst(const MCInst &) { abort(); }
#include "gen-emitter.inc"

static const struct { const char *name; unsigned opcode, bits; } names[] = {
#define RECORD(name, bits) {#name, Tilext::name, bits},
#include "records.inc"
};
struct Table { unsigned bits; const uint8_t *table; };
static const Table tables[] = {
#include "tables.inc"
};

int main() {
#if LLVM_VERSION_MAJOR >= 22
  MCSubtargetInfo sti(Triple("riscv64"), "", "", "", {}, {}, {}, nullptr, nullptr, nullptr, nullptr,
                      nullptr, nullptr);
#else
  MCSubtargetInfo sti(Triple("riscv64"), "", "", "", {}, {}, nullptr, nullptr, nullptr, nullptr,
                      nullptr, nullptr);
#endif
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream in(line);
    std::string name;
    in >> name;
    MCInst inst;
    unsigned bits = 0;
    for (auto &n : names)
      if (name == n.name) inst.setOpcode(n.opcode), bits = n.bits;
    if (!bits) return 1;
    for (uint64_t v; in >> v;) inst.addOperand(MCOperand::createImm(v));
    SmallVector<MCFixup, 2> fixups;
    APInt code(96, 0), scratch(96, 0);
    TilextMCCodeEmitter().getBinaryCodeForInstr(inst, fixups, code, scratch, sti);
    Bits word;
    for (unsigned at = 0; at < 96; at += 32)
      word.insertBits(code.extractBitsAsZExtValue(32, at), at, 32);
    for (unsigned at = 0; at < bits; at += 32)
      printf("%s%u", at ? " " : "", (unsigned)word.extractBitsAsZExtValue(32, at));
    for (auto &t : tables) {
      if (t.bits != bits) continue;
      MCInst found;
      if (decodeInstruction(t.table, found, word, 0, nullptr, sti) != MCDisassembler::Success)
        continue;
      for (auto &n : names)
        if (n.opcode == found.getOpcode()) printf(" | %s", n.name);
      for (auto &op : found) printf(" %lld", (long long)op.getImm());
    }
    printf("\n");
  }
}
