"""The stand-in for the vendor's host library, seen as the vendor's tests see it."""

import importlib
import sys
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from elf_builder import ElfBuilder
from riscv_program import T0, addi, lui, sw
from tilelab.sim.errors import BadInputError, UndefinedBehaviorError
from tilelab.tensix.chips.config_registers import CHIPS, config_fields
from tilelab.tensix.llk.device import DUMPED, Host, install, named_fields
from tilelab.tensix.llk.harness import TRISC_PC, TRISC_PC_OVERRIDE

EBREAK = 0x00100073
LOOP = 0x0000006F


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Host:
    host = Host(engine="reference")
    before = dict(sys.modules)
    install(host)
    for name in set(sys.modules) - set(before):
        module = sys.modules.pop(name)
        monkeypatch.setitem(sys.modules, name, module)
    return host


def library(name: str = "tt_exalens_lib") -> Any:
    return importlib.import_module(f"ttexalens.{name}")


def program(tmp_path: Path, base: int, *words: int) -> Path:
    path = tmp_path / f"{base:x}.elf"
    code = b"".join(word.to_bytes(4, "little") for word in words)
    path.write_bytes(ElfBuilder().add(".init", base, code).build())
    return path


def test_words_and_bytes_are_the_same_memory(host: Host) -> None:
    lib = library()
    assert lib.write_words_to_device("0,0", 0x100, [0x03020100, 0x07060504]) == 8
    assert lib.read_from_device("0,0", 0x101, num_bytes=4) == bytes([1, 2, 3, 4])
    assert lib.write_to_device("0,0", 0x104, [0xFF]) == 1
    assert lib.read_words_from_device("0,0", 0x100, word_count=2) == [0x03020100, 0x070605FF]
    assert lib.write_words_to_device("0,0", 0x100, 9) == 4
    assert lib.read_word_from_device("0,0", 0x100, 0) == 9
    with pytest.raises(BadInputError, match="L1"):
        lib.read_from_device("0,0", 1 << 30, num_bytes=4)


def test_any_coordinate_is_the_one_tile(host: Host) -> None:
    coordinate = library().convert_coordinate("3,4", 0)
    assert library().convert_coordinate(coordinate) is coordinate
    context = library("context").check_context()
    (place,) = context.devices[0].get_block_locations("functional_workers")
    assert place.to_str("logical") == "0,0"
    block = context.devices[0].get_block(library("coordinate").OnChipCoordinate.create("1,1"))
    store = block.get_register_store()
    store.write_register("RISCV_DEBUG_REG_SOFT_RESET_0", 0x7800)
    assert store.read_register("RISCV_DEBUG_REG_SOFT_RESET_0") == 0x7800
    with pytest.raises(library().TTException, match="NO_SUCH_REGISTER"):
        store.read_register("NO_SUCH_REGISTER")


def test_a_program_is_loaded_and_its_entry_becomes_the_reset_pc(host: Host, tmp_path: Path) -> None:
    lib, path = library(), program(tmp_path, 0xB000, LOOP)
    assert lib.load_elf(str(path), "0,0", "trisc1", return_start_address=True) == 0xB000
    assert host.backend.reg_read(TRISC_PC + 4) == 0
    assert lib.load_elf(elf_file=str(path), location="0,0", risc_name="trisc1") is None
    assert host.backend.reg_read(TRISC_PC + 4) == 0xB000
    assert host.backend.reg_read(TRISC_PC_OVERRIDE) == 2
    assert lib.read_word_from_device("0,0", 0xB000) == LOOP
    assert host.starts == 2


def run_brisc(host: Host, tmp_path: Path, *words: int) -> None:
    library().load_elf(str(program(tmp_path, 0, *words)), "0,0", "brisc", verify_write=True)
    host.write_register("RISCV_DEBUG_REG_SOFT_RESET_0", 0x7000)


def test_reading_lets_the_tile_run(host: Host, tmp_path: Path) -> None:
    run_brisc(host, tmp_path, lui(T0, 0x2000), addi(T0, T0, 7), sw(T0, T0, 1), LOOP)
    assert library().read_word_from_device("0,0", 0x2008) == 0x2007


def test_a_failed_check_is_the_access_error_with_its_report(host: Host, tmp_path: Path) -> None:
    with pytest.raises(UndefinedBehaviorError, match="ebreak at 0x0") as error:
        run_brisc(host, tmp_path, EBREAK)
    assert "from   BRISC pc 0x0" in str(error.value)


def test_a_new_tile_remembers_nothing(host: Host) -> None:
    library().write_words_to_device("0,0", 0x100, [5])
    host.starts = 3
    host.renew()
    assert library().read_word_from_device("0,0", 0x100) == 0
    assert host.starts == 0


def test_what_is_missing_says_so(host: Host) -> None:
    with pytest.raises(library().TTException, match="tilelab's stand-in"):
        library().parse_elf("0,0")


@pytest.mark.parametrize("arch", ["blackhole", "wormhole"])
def test_a_dump_has_the_words_of_the_configuration(host: Host, arch: str) -> None:
    host.arch = arch
    before = asdict(library().get_tensix_state("0,0", device_id=0))
    state = host.backend.tile.state
    state.set_config_field("ALU_ACC_CTRL_INT8_math_enabled", 1)
    state.set_config_field("THCON_SEC1_REG2_Unpack_fifo_size", 5)
    state.set_config_field("THCON_SEC1_REG2_Unpack_limit_address", 7, bank=1)
    after = asdict(library().get_tensix_state("0,0", device_id=0))
    changed = {group for group in before if before[group] != after[group]}
    assert changed == {"alu_config", "unpack_config"}
    assert [section["unpack_fifo_size"] for section in after["unpack_config"]] == [0, 5]
    assert after["unpack_config"][1]["unpack_limit_address"] == 0


@pytest.mark.parametrize("arch", CHIPS)
def test_a_register_dump_names_each_field_once(arch: str) -> None:
    words = np.arange(256, dtype=np.uint32) * 0x01010101
    for runs in DUMPED.values():
        for first, count in runs:
            inside = [
                part
                for part in config_fields(arch).values()
                if part.space == "c" and 0 <= part.word - config_fields(arch)[first].word < count
            ]
            values = named_fields(arch, words, first, count)
            named = {name: value for name, value in values.items() if "+" not in name}
            assert len(named) == len(inside), first
            assert all(0 <= values[name] < 1 << 32 for name in values)
    pack = named_fields(arch, words, "THCON_SEC0_REG1_Row_start_section_size", 3)
    word = config_fields(arch)["THCON_SEC0_REG1_Row_start_section_size"].word
    assert pack["exp_section_size"] == word | word << 8


def test_every_module_of_the_library_is_there(host: Host) -> None:
    package = importlib.import_module("ttexalens")
    assert isinstance(package.tt_exalens_init, ModuleType)
    assert package.init_ttexalens(simulation_directory="x") is host
    assert package.check_context() is host
    assert library("elf").ElfFile is library().ElfFile
    assert importlib.import_module("tt_umd")
    with pytest.raises(library().TTException, match="debug bus"):
        library("debug_tensix").TensixDebug("0,0")
