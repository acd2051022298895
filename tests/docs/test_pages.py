"""The documentation's pages agree with the code, with each other and with what is on disk."""

import importlib
import importlib.util
import json
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from snippets import ROOT, pages
from typer.main import get_command

from tilelab.cli.main import COMMANDS, application, main

DOCS = ROOT / "docs"
ALL = [*pages(), ROOT / "CHANGELOG.md"]


def script(path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import a script of the documentation."""
    monkeypatch.syspath_prepend(str(path.parent))
    spec = importlib.util.spec_from_file_location(f"docs_{path.stem}", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_picture_is_what_a_run_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    make = script(DOCS / "pictures" / "make.py", monkeypatch)
    recording = make.record(make.EXAMPLE)
    assert len(recording.issued) == 65
    for name, palette in (("light", make.LIGHT), ("dark", make.DARK)):
        committed = (DOCS / "pictures" / f"expansion-{name}.svg").read_text(encoding="utf-8")
        assert make.draw(recording, palette) == committed, "run python docs/pictures/make.py"


def test_the_picture_of_costs_is_of_the_results(monkeypatch: pytest.MonkeyPatch) -> None:
    make = script(DOCS / "pictures" / "costs.py", monkeypatch)
    results = json.loads(make.RESULTS.read_text(encoding="utf-8"))
    for name, palette in (("light", make.LIGHT), ("dark", make.DARK)):
        committed = (DOCS / "pictures" / f"costs-{name}.svg").read_text(encoding="utf-8")
        assert make.draw(results, palette) == committed, "run python docs/pictures/costs.py"


def test_the_generated_tables_are_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = script(DOCS / "make_tables.py", monkeypatch)
    tables.import_everything()
    for page, parts in tables.PAGES.items():
        text = (DOCS / page).read_text(encoding="utf-8")
        assert tables.fill(text, parts) == text, f"{page}: run python docs/make_tables.py"


def test_a_table_that_is_stale_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = script(DOCS / "make_tables.py", monkeypatch)
    tables.import_everything()
    text = (DOCS / "errors.md").read_text(encoding="utf-8")
    stale = text.replace("replay-length-0", "replay-length-zero")
    assert tables.fill(stale, tables.PAGES["errors.md"]) == text


def test_the_readme_counts_as_the_table_does() -> None:
    found = re.findall(r"- (\w+): (\d+) of (\d+)", (DOCS / "support.md").read_text("utf-8"))
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    (_, blackhole, of_blackhole), (_, wormhole, of_wormhole) = found
    assert f"{blackhole} of Blackhole's {of_blackhole} execute" in readme
    assert f"{wormhole} of Wormhole's {of_wormhole}" in readme


@pytest.mark.parametrize("page", ALL, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    assert not re.search(r"(?<!!)\[\s*\]\(", text), f"{page.name} has a link without a title"
    for target in re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"", text):
        address = "".join(target)
        if re.match(r"[a-z]+:", address):
            continue
        file, _, anchor = address.partition("#")
        path = (page.parent / file).resolve() if file else page
        assert path.exists(), f"{page.name} links to {address}"
        if anchor:
            assert anchor in _anchors(path), f"{page.name} links to {address}"


def _anchors(path: Path) -> set[str]:
    text = path.read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M), re.M)
    slugs = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
    return slugs | set(re.findall(r'<a id="([^"]+)">', text))


def test_every_page_is_reachable_from_the_readme() -> None:
    seen, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen or page.suffix != ".md":
            continue
        seen.add(page)
        for target in re.findall(r"\]\(([^)\s#]+)", page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:", target):
                waiting.append((page.parent / target).resolve())
    lost = [str(page.relative_to(ROOT)) for page in pages() if page not in seen]
    assert not lost


def test_the_kernel_that_is_shown_is_an_example() -> None:
    page = (DOCS / "kernels.md").read_text(encoding="utf-8")
    shown = tomllib.loads(re.findall(r"```toml\n(.*?)```", page, re.S)[0])
    example = tomllib.loads((ROOT / "examples/eltwise_add/kernel.toml").read_text("utf-8"))
    for part in ("elfs", "inputs", "build"):
        assert shown[part] == example[part]
    for key, value in shown["outputs"][0].items():
        assert example["outputs"][0][key] == value
    assert shown["done"]["mailboxes"] == example["done"]["mailboxes"]


# ------------------------------------------------------------------ docs/cli.md, docs/cli/


def section(command: str) -> str:
    """What a command's page says, or the page of a machine's commands."""
    return (DOCS / "cli" / f"{command.split(maxsplit=1)[0]}.md").read_text(encoding="utf-8")


def test_every_command_has_a_page_and_every_page_a_command() -> None:
    assert {path.stem for path in (DOCS / "cli").glob("*.md")} == {
        *COMMANDS,
        "pytest",
        "recordings",
    }


def commands() -> dict[str, Any]:
    """Every command by its name, those of the machines too."""

    def below(group: Any, prefix: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, item in group.commands.items():
            inner = below(item, f"{prefix}{name} ") if "commands" in vars(item) else {}
            found |= inner or {prefix + name: item}
        return found

    return below(get_command(application()), "")


def test_every_command_and_option_is_described() -> None:
    assert {"run", "pto run", "tilext asm"} <= set(commands())
    for name, command in commands().items():
        said = section(name)
        assert f"`tilelab {name}" in said, f"cli/: {name}"
        if " " in name:
            said = said.partition(f"\n## tilelab {name}\n")[2].partition("\n## ")[0]
        for item in command.params:
            for option in item.opts:
                shown = option if option.startswith("-") else None
                assert shown is None or f"`{shown}`" in said, f"cli/: {name} {option}"


def test_no_page_names_an_option_that_its_command_lacks() -> None:
    for name in COMMANDS:
        text = re.sub(r"^```.*?^```", "", section(name), flags=re.S | re.M)
        _, made, notes = text.partition("<!-- end -->")
        assert made
        options = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", notes))
        known = {
            option
            for command, item in commands().items()
            if command.split()[0] == name
            for parameter in item.params
            for option in (*parameter.opts, *parameter.secondary_opts)
        }
        assert options - known == set(), f"cli/{name}.md"


@pytest.mark.parametrize("module", ["headers"])
def test_the_programs_beside_the_command_are_described(
    module: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = importlib.import_module(f"tilelab.build.{module}")
    monkeypatch.setattr(sys, "argv", [module, "--help"])
    with pytest.raises(SystemExit):
        program.main()
    text = section("build")
    (row,) = re.findall(rf"^\| `{module}.*$", text, re.M)
    for option in set(re.findall(r"--\w+", capsys.readouterr().out)) - {"--help"}:
        assert f"`{option}`" in row


DOCUMENTS = [
    ("asm", ["{small}", "--json"]),
    ("disasm", ["0x26000000", "--json"]),
    ("expand", ["{small}", "--json", "--provenance"]),
    ("run", ["{small}", "{examples}/datacopy", "{broken}", "--json"]),
    ("run", ["{small}", "{examples}/datacopy", "--cycles", "--json"]),
    ("explain-matmul", ["--fidelity", "lofi", "--json"]),
    ("explain-matmul", ["--distribution", "normal", "--samples", "1", "--json"]),
    ("examples", ["--json"]),
    ("pto run", ["{examples}/pto/pattern1.pto", "--json"]),
    ("pto run", ["{examples}/pto/deadlock.py", "--json"]),
    ("pto run", ["{examples}/pto/pattern1.pto", "--cycles", "--json"]),
    ("pto protocol", ["{examples}/pto/both_directions.pto", "--depths", "1,2", "--json"]),
    ("pto explore", ["--slots", "2", "--json"]),
    ("pto explore", ["--slots", "1", "--no-free", "--json"]),
    ("tilext check", ["--random", "3", "--json"]),
    ("tilext open-questions", ["--json"]),
    ("tilext disasm", ["{words}", "--json"]),
    ("bench", ["expansion", "growth", "--tiny", "--runs", "1", "--json"]),
]


@pytest.mark.parametrize(("command", "arguments"), DOCUMENTS, ids=str)
def test_every_key_of_the_json_documents_is_described(
    command: str, arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small, broken = tmp_path / "small.s", tmp_path / "broken.s"
    small.write_text("ttreplay 16, 1, 1, 1\nttseminit 2,0,4\nttreplay 16, 1, 0, 0\nttnop\n")
    broken.write_text("ttsetadcxx 0,15,0\n")
    (tmp_path / "words").write_text("0x0001007b\n")
    names = {
        "words": tmp_path / "words",
        "small": small,
        "broken": broken,
        "examples": ROOT / "examples",
    }
    main([*command.split(), *(item.format(**names) for item in arguments)])
    described = section(command)
    for key in _keys(json.loads(capsys.readouterr().out)):
        assert f"`{key}`" in described, f"cli/ does not describe {command}'s key {key}"


OPEN = {"shares", "rings", "flags", "popped", "not_encodable", "instances", "idle", "waits"} | {
    "causes", "threads", "riscv_instructions", "units", "opcodes"
} | {
    "rates", "ratios", "missing", "skipped", "memory", "milliseconds", "shares"
}  # fmt: skip
"""Objects whose keys are names of things."""


def _keys(value: Any, inside: str = "") -> set[str]:
    if isinstance(value, list):
        return set().union(*(_keys(item) for item in value))
    if not isinstance(value, dict):
        return set()
    found: set[str] = set() if inside in OPEN else set(value)
    return found.union(*(_keys(item, "" if inside in OPEN else k) for k, item in value.items()))
