"""Build gemm.c with GCC, run it on the model in three types, and compare with NumPy.

Wants riscv64-unknown-elf-gcc (Debian: gcc-riscv64-unknown-elf); another compiler is an argument:
``python gemm.py clang --target=riscv64 -fuse-ld=lld``.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from tilelab.tilext.header import header
from tilelab.tilext.matrices import dtype_of
from tilelab.tilext.program import Machine, Run, load_machine, load_program

HERE = Path(__file__).parent
FLAGS = ["-march=rv64imc", "-mabi=lp64", "-mcmodel=medany", "-O2", "-ffreestanding", "-nostdlib"]
LINK = ["-static", "-Wl,-e,start", "-Wl,-Ttext=0x1000", "-Wl,--build-id=none"]
ROWS, COLUMNS, DEPTH = 2, 3, 4  # in blocks
ARGUMENTS, A_BASE, B_BASE, C_BASE = 0x8000, 0x10000, 0x20000, 0x30000
TYPES = {"int8": 64, "fp16": 32, "bf16": 32}  # and how many columns a block of A has


def build(machine: Machine, name: str, compiler: list[str]) -> bytes:
    """Return the kernel's ELF for a type."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "tilext.h").write_text(header(machine.profile))
        elf = Path(folder) / "gemm.elf"
        define = f"-DMMAUOP=TILEXT_MMAUOP_{name.upper()}"
        command = [*compiler, *FLAGS, *LINK, define, f"-I{folder}", "-o", str(elf)]
        subprocess.run([*command, str(HERE / "gemm.c")], check=True)
        return elf.read_bytes()


def blocks(matrix: np.ndarray, height: int, width: int) -> np.ndarray:
    """Return a matrix as rows of blocks, each row-major and contiguous."""
    rows, columns = matrix.shape[0] // height, matrix.shape[1] // width
    return np.ascontiguousarray(matrix.reshape(rows, height, columns, width).swapaxes(1, 2))


def multiply(machine: Machine, elf: bytes, a: np.ndarray, b: np.ndarray, deep: int) -> np.ndarray:
    """Run the kernel on two matrices; return C."""
    run = Run(machine, load_program(elf, "gemm.elf", machine.profile))
    memory, core = run.cores[0].memory["global"], run.cores[0]
    counts = [a.shape[0] // 16, b.shape[1] // 16, a.shape[1] // deep]
    arguments = np.array([A_BASE, B_BASE, C_BASE, *counts], np.uint64)
    by_columns = blocks(b, deep, 16).swapaxes(0, 1)
    placed = ((ARGUMENTS, arguments), (A_BASE, blocks(a, 16, deep)), (B_BASE, by_columns))
    for address, data in placed:
        content = np.frombuffer(data.tobytes(), np.uint8)
        memory[address : address + content.size] = content
    core.write_x(10, ARGUMENTS)
    outcome = run.run()
    print(f"{outcome.executed:,} instructions, {outcome.tiles} of the Tile Extension")
    result = np.int32 if a.dtype == np.int8 else np.float32
    size = counts[0] * counts[1] * 1024
    found = memory[C_BASE : C_BASE + size].view(result).reshape(*counts[:2], 16, 16)
    return found.swapaxes(1, 2).reshape(a.shape[0], b.shape[1])


def operands(name: str, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return random A and B whose products and sums are exact in every type here."""
    rng, deep = np.random.default_rng(seed), TYPES[name] * DEPTH
    a = rng.integers(-15, 16, (16 * ROWS, deep)).astype(dtype_of(name))
    b = rng.integers(-15, 16, (deep, 16 * COLUMNS)).astype(dtype_of(name))
    return a, b


def main() -> None:
    """Multiply in all types."""
    compiler = sys.argv[1:] or ["riscv64-unknown-elf-gcc"]
    machine = load_machine(HERE / "machine.toml")
    for name, deep in TYPES.items():
        a, b = operands(name)
        found = multiply(machine, build(machine, name, compiler), a, b, deep)
        wanted = a.astype(found.dtype) @ b.astype(found.dtype)
        np.testing.assert_array_equal(found, wanted)
        print(f"{name}: {found.shape[0]} x {found.shape[1]} product matches NumPy")


if __name__ == "__main__":
    main()
