// A target that holds the Tile Extension alone, to generate its encoder and disassembler:
//   llvm-tblgen -gen-instr-info|-gen-emitter|-gen-disassembler -I LLVM/include Tilext.td
// with -DLLVM_22 from LLVM 22 on, which wants to know what a pointer's register is.
// Within LLVM's RISC-V target the register classes are that target's own, but for TR.
include "llvm/Target/Target.td"

class TilextReg<bits<16> number, string n> : Register<n> {
  let HWEncoding = number;
  let Namespace = "Tilext";
}
foreach i = 0...31 in {
  def X#i : TilextReg<i, "x"#i>;
  def F#i : TilextReg<i, "f"#i>;
  def V#i : TilextReg<i, "v"#i>;
}
def GPR : RegisterClass<"Tilext", [i64], 64, (sequence "X%u", 0, 31)>;
def FPR64 : RegisterClass<"Tilext", [f64], 64, (sequence "F%u", 0, 31)>;
def VR : RegisterClass<"Tilext", [v8i8], 64, (sequence "V%u", 0, 31)>;

include "TilextInstrInfo.td"

#ifdef LLVM_22
defm : RemapAllTargetPseudoPointerOperands<GPR>;
#endif
def TilextInstrInfo : InstrInfo;
def Tilext : Target { let InstructionSet = TilextInstrInfo; }
