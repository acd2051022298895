"""Exports: every bit accounted for once, patterns that agree with the codec."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tilelab.tilext.assembler import Assembler
from tilelab.tilext.export import as_json, entries, riscv_opcodes, unified_db
from tilelab.tilext.fuzz import random_values
from tilelab.tilext.profile import load_profile
from tilelab.tilext.validate import validate


def lines_of(text):
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def patterns(profile):
    """Read the riscv-opcodes lines back as name -> (mask, match, argument bits)."""
    files = riscv_opcodes(profile)
    table = {}
    for row in files["arg_lut.csv"].splitlines():
        name, hi, lo = re.fullmatch(r'"(\w+)", (\d+), (\d+)', row).groups()
        table[name] = (int(hi), int(lo))
    table |= {"rd": (11, 7), "rs1": (19, 15), "rs2": (24, 20)}
    found = {}
    for line in lines_of(files["rv_xtilext"]):
        words = re.sub(r"^\$pseudo_op \S+ ", "", line).split()
        bits, match = [], 0
        for word in words[1:]:
            if fixed := re.fullmatch(r"(\d+)(?:\.\.(\d+))?=(\d+)", word):
                hi, lo = int(fixed[1]), int(fixed[2] or fixed[1])
                assert int(fixed[3]) < 1 << (hi - lo + 1)
                match |= int(fixed[3]) << lo
            else:
                hi, lo = table[word]
            bits += range(lo, hi + 1)
        assert sorted(bits) == list(range(32)), line
        found[words[0]] = match
    return found


def test_json_has_every_cell_and_its_origin():
    profile = load_profile()
    found = {i["name"]: i for i in json.loads(as_json(profile))["instructions"]}
    assert len(found) == 40
    assert not found["tcsrw"]["encodable"]
    cells = [cell for i in found.values() for word in i["words"] for cell in word["cells"]]
    assert Counter(cell["kind"] for cell in cells) == validate(profile).origins
    td = found["tgld.unit"]["words"][0]["cells"][1]
    assert td == {
        "label": "td",
        "hi": 30,
        "lo": 23,
        "bits": "",
        "kind": "repaired",
        "line": 34,
        "question": "load-td",
    }


@pytest.mark.parametrize("name", ["repaired", "printed"])
def test_riscv_opcodes_lines_cover_every_bit_once(name):
    found = patterns(load_profile(name))
    assert len(found) > 40
    matches = {entry.name: entry.word.match for entry in entries(load_profile(name))}
    for word, match in found.items():
        assert match == matches[word]


def test_entries_that_are_no_pseudo_ops_do_not_overlap():
    profile = load_profile()
    kept = {line.split()[0] for line in lines_of(riscv_opcodes(profile)["rv_xtilext"])}
    found = [entry for entry in entries(profile) if entry.name in kept]
    for index, one in enumerate(found):
        for two in found[index + 1 :]:
            assert (one.word.match ^ two.word.match) & one.mask & two.mask, (one.name, two.name)


def test_what_is_left_out_is_listed():
    profile = load_profile()
    text = riscv_opcodes(profile)["rv_xtilext"]
    left_out = re.findall(r"# left out, overlaps \S+: (\S+)", text)
    shown = {line.split("::")[-1].split()[-0] for line in lines_of(text)}
    assert len(lines_of(text)) + len(left_out) == len(entries(profile)), shown
    assert "tgatom.tile.w1" in left_out


def test_unified_db_patterns_match_the_words_they_describe():
    profile = load_profile()
    files, rng, assembler = unified_db(profile), random.Random(1), Assembler(profile)
    by_slot = {}
    assert "name: Xtilext" in files.pop("ext/Xtilext.yaml")
    for path, text in files.items():
        assert re.fullmatch(r"inst/Xtilext/[a-z0-9.]+\.yaml", path)
        match = re.search(r'match: "([01-]{30}11)"', text)[1]
        described = re.search(r"Word (\d) of (.*) \(profile", text)
        locations = re.findall(r"location: (\d+)(?:-(\d+))?", text)
        free = sum(int(hi) - int(lo or hi) + 1 for hi, lo in locations)
        assert free == match.count("-")
        for name in described[2].split(", "):
            by_slot.setdefault((name, int(described[1])), []).append(match.replace("-", "."))
    for name, instruction in profile.instructions.items():
        for _ in range(20):
            words = assembler.encode(name, random_values(rng, profile, instruction))
            for slot, word in zip(profile.issue_order(instruction), words, strict=True):
                shapes = by_slot[name, slot]
                assert any(re.fullmatch(shape, f"{word:032b}") for shape in shapes)


@pytest.mark.parametrize("name", ["repaired", "printed"])
def test_the_parser_of_riscv_opcodes_takes_the_export_beside_all_of_its_own(name, tmp_path):
    checkout = os.environ.get("TILELAB_RISCV_OPCODES")
    if not checkout:
        pytest.skip("riscv-opcodes is not here: TILELAB_RISCV_OPCODES names a checkout")
    shutil.copytree(checkout, tmp_path, dirs_exist_ok=True)
    files = riscv_opcodes(profile := load_profile(name))
    (tmp_path / "extensions" / "rv_xtilext").write_text(files["rv_xtilext"])
    with (tmp_path / "arg_lut.csv").open("a") as table:
        table.write(files["arg_lut.csv"])
    command = [sys.executable, "-m", "riscv_opcodes", "-c", "rv*"]
    sources = os.environ | {"PYTHONPATH": str(tmp_path / "src")}
    subprocess.run(command, cwd=tmp_path, env=sources, check=True, capture_output=True)
    header = (tmp_path / "encoding.out.h").read_text()
    said = {
        what: {n: int(v, 16) for n, v in re.findall(rf"#define {what}_(\w+) (0x\w+)", header)}
        for what in ("MATCH", "MASK")
    }
    kept = {line.split()[0] for line in lines_of(files["rv_xtilext"])} - {"$pseudo_op"}
    written = {entry.name: entry for entry in entries(profile) if entry.name in kept}
    assert len(written) == len(kept) > 20
    for word, entry in written.items():
        key = word.replace(".", "_").upper()
        assert (said["MATCH"][key], said["MASK"][key]) == (entry.word.match, entry.mask)


def test_unified_db_files_are_valid_under_its_schemas():
    jsonschema, yaml = pytest.importorskip("jsonschema"), pytest.importorskip("yaml")
    folder = os.environ.get("TILELAB_UDB_SCHEMAS")
    if not folder:
        pytest.skip("unified-db's schemas are not here: TILELAB_UDB_SCHEMAS names their folder")
    schemas = {path.name: json.loads(path.read_text()) for path in Path(folder).glob("*.json")}
    for path, text in unified_db(load_profile()).items():
        schema = schemas[f"{path.split('/')[0]}_schema.json"]
        resolver = jsonschema.RefResolver(
            "", schema, store=schemas | {f"/{name}": s for name, s in schemas.items()}
        )
        jsonschema.Draft7Validator(schema, resolver=resolver).validate(yaml.safe_load(text))
