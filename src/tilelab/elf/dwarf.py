"""Where machine code came from: DWARF's line tables and inlined calls, versions 2 to 5.

A compiler that inlines leaves one address with several places in the source: the line that was
compiled last, and around it the calls that led there (``DW_TAG_inlined_subroutine``).
:meth:`DebugInfo.frames` gives them all, the author's first.

Damaged or missing data costs names and lines, never the run: ``note`` says what is missing.

Not modelled: inlined calls in split files (``-gsplit-dwarf``); lines are found even so.
"""

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, Final

from elftools.common.exceptions import ELFParseError
from elftools.common.utils import struct_parse
from elftools.dwarf.enums import DW_FORM_raw2name
from elftools.elf.elffile import ELFFile

from tilelab.elf.frames import DebugInfo, Scope

ADDRESSES: Final = 1 << 32
MAX_DEPTH: Final = 256
"""Calls in calls, at most: more is damage."""
CALLS: Final = ("DW_TAG_subprogram", "DW_TAG_inlined_subroutine")
NO_ROOM: Final = ("DW_FORM_flag_present", "DW_FORM_implicit_const")
SPLIT: Final = ("DW_AT_dwo_name", "DW_AT_GNU_dwo_name")
NO_DEBUG_DATA: Final = "has no debugging data, so no source lines: compile it with -g"

SPLIT_FILES: Final = (
    "keeps its inlined calls in split files, which are not read: compile it without -gsplit-dwarf"
)
TOO_LARGE: Final = "has too much debugging data to be read, so no source lines"
DAMAGED: Final = "has damaged debugging data: some source lines are missing"


@dataclass
class Sequence:
    """Part of a line table: rows (address, file, line) by address, valid up to ``end``."""

    end: int
    rows: list[tuple[int, str, int]] = field(default_factory=list)

    @property
    def start(self) -> int:
        """The first address."""
        return self.rows[0][0]


class ReadDebugInfo(DebugInfo):
    """Debugging data as they are read from one ELF; none if it is too large."""

    def __init__(self, image: bytes, code: list[tuple[int, int]]) -> None:
        super().__init__(code)
        if not image:
            self.note = TOO_LARGE
            return
        try:
            self._read(ELFFile(io.BytesIO(image)))
        except Exception:  # whatever the parser makes of damaged tables
            self.note = DAMAGED

    # ------------------------------------------------------------------ reading

    def _read(self, elf: ELFFile) -> None:
        if not elf.has_dwarf_info(strict=True):
            self.note = NO_DEBUG_DATA
            return
        dwarf = debugging_data(elf)
        scopes: list[Scope] = []
        sequences: list[Sequence] = []
        programs: set[int] = set()
        for unit in dwarf.iter_CUs():
            try:
                top = unit.get_top_DIE()
                if any(name in top.attributes for name in SPLIT):
                    self.note = SPLIT_FILES
                files: list[str] = []
                place = top.attributes.get("DW_AT_stmt_list")
                if place is not None:
                    _check_header(dwarf, unit, place.value)
                    program = dwarf.line_program_for_CU(unit)
                    files = _files(program)
                    if place.value not in programs:
                        programs.add(place.value)
                        sequences += _sequences(program, files)
                scopes += _scopes(dwarf, unit, files)
            except Exception:  # damage costs this unit, not the others
                self.note = DAMAGED
        self._place_rows([found for found in sequences if self._is_code(found.start, found.end)])
        self._place_scopes(scopes)
        if not self._rows and not self._owners and not self.note:
            self.note = NO_DEBUG_DATA

    def _is_code(self, start: int, end: int) -> bool:
        return any(start < last and first < end for first, last in self.code)

    def _place_scopes(self, scopes: list[Scope]) -> None:
        """Find the innermost scope of each stretch of addresses.

        What a linker has thrown away begins at 0, so it gives way to what does not.
        """
        pieces = [
            (scope.depth, start != 0, start, end, scope)
            for scope in scopes
            for start, end in scope.ranges
            if start < end and self._is_code(start, end)
        ]
        edges = sorted({edge for _, _, start, end, _ in pieces for edge in (start, end)})
        owners: list[Scope | None] = [None] * len(edges)
        index = {edge: i for i, edge in enumerate(edges)}
        for *_, start, end, scope in sorted(pieces, key=lambda piece: piece[:2]):
            first, last = index[start], index[end]
            owners[first:last] = [scope] * (last - first)
        self._starts, self._owners = edges, owners

    def _place_rows(self, sequences: list[Sequence]) -> None:
        """Put all line tables behind one another, each valid up to its own end."""
        table: list[tuple[int, str, int]] = []
        end = -1
        ordered = sorted(sequences, key=lambda found: (found.start, -found.end))
        for number, found in enumerate(ordered):
            stop = found.end
            if number + 1 < len(ordered):
                stop = min(stop, max(ordered[number + 1].start, end))
            table += [row for row in found.rows if end <= row[0] < stop]
            if stop > end:
                end = stop
                table.append((end, "", 0))
        self._row_starts = [row[0] for row in table]
        self._rows = [row[1:] for row in table]


def debugging_data(elf: ELFFile) -> Any:
    """What a parser has of an ELF's debugging data.

    A linker that keeps relocations (``--emit-relocs``) has applied them.
    """
    linked = elf.header["e_type"] != "ET_REL"
    return elf.get_dwarf_info(relocate_dwarf_sections=not linked, follow_links=False)


def _text(value: Any) -> str:
    """A name, fit to be shown in a line."""
    text = value.decode(errors="replace") if isinstance(value, bytes) else ""
    return "".join(c if c.isprintable() else "?" for c in text)


# ---------------------------------------------------------------------- lines


def _check_header(dwarf: Any, unit: Any, place: int) -> None:
    """Refuse lists of files that take no room: a damaged one is as long as its count says."""
    stream, forms = dwarf.debug_line_sec.stream, unit.structs.Dwarf_dw_form
    number = unit.structs.the_Dwarf_uleb128
    stream.seek(place + (12 if unit.structs.dwarf_format == 64 else 4))
    if int.from_bytes(stream.read(2), "little") < 5:
        return
    # sizes of address and selector, of the header; five numbers; then how many opcodes there are
    stream.seek(2 + unit.structs.dwarf_format // 8 + 5, io.SEEK_CUR)
    stream.seek(int.from_bytes(stream.read(1), "little") - 1, io.SEEK_CUR)
    for _ in ("folders", "files"):
        fields = [struct_parse(number, stream) for _ in range(2 * stream.read(1)[0])]
        names = [DW_FORM_raw2name[form] for form in fields[1::2]]
        count = struct_parse(number, stream)
        if count and all(name in NO_ROOM for name in names):
            raise ELFParseError("a list of files without names")
        for _ in range(count):
            for name in names:
                struct_parse(forms[name], stream)


def _files(program: Any) -> list[str]:
    """Names of a line table's files, by the numbers that it uses."""
    if program is None:
        return []
    paths = [_text(entry.name) for entry in program.header["file_entry"]]
    names = [(PureWindowsPath if "\\" in path else PurePosixPath)(path).name for path in paths]
    # files are numbered from 1 up to DWARF 4, from 0 since
    return names if program.header["version"] >= 5 else ["", *names]


def _sequences(program: Any, files: list[str]) -> list[Sequence]:
    found: list[Sequence] = []
    rows: list[tuple[int, str, int]] = []
    for entry in program.get_entries() if program is not None else ():
        state = entry.state
        if state is None:
            continue
        if state.end_sequence:
            if rows and rows[0][0] < state.address <= ADDRESSES:
                found.append(Sequence(state.address, sorted(rows, key=lambda row: row[0])))
            rows = []
        else:
            name = files[state.file] if 0 <= state.file < len(files) else ""
            rows.append((state.address, name, max(0, state.line)))
    return found


# ---------------------------------------------------------------------- inlined calls


def _scopes(dwarf: Any, unit: Any, files: list[str]) -> list[Scope]:
    """The functions and inlined calls of one unit that have code."""
    found: list[Scope] = []
    inside: list[Scope | None] = []  # for each open entry, the scope that its children are in
    base = _number(unit.get_top_DIE(), "DW_AT_low_pc") or 0
    for entry in unit.iter_DIEs():
        if entry.tag is None:
            if inside:
                inside.pop()
            continue
        scope = inside[-1] if inside else None
        if entry.tag in CALLS:
            parent = scope if entry.tag == "DW_TAG_inlined_subroutine" else None
            ranges = list(ranges_of(dwarf, unit, entry, base))
            depth = parent.depth + 1 if parent else 0
            if ranges and depth < MAX_DEPTH:
                name = name_of(entry)
                if not name.startswith("operator"):
                    name = name.partition("<")[0]  # without its template arguments
                scope = Scope(name, ranges, parent, depth=depth)
                if parent is not None:
                    number = _number(entry, "DW_AT_call_file") or 0
                    scope.call_file = files[number] if number < len(files) else ""
                    scope.call_line = _number(entry, "DW_AT_call_line") or 0
                found.append(scope)
            elif entry.tag == "DW_TAG_subprogram":
                scope = None
        if entry.has_children:
            inside.append(scope)
    return found


def _number(entry: Any, name: str) -> int | None:
    attribute = entry.attributes.get(name)
    value = attribute.value if attribute is not None else None
    return value if isinstance(value, int) else None


def ranges_of(
    dwarf: Any, unit: Any, entry: Any, base: int | None = None
) -> Iterator[tuple[int, int]]:
    """The (start, end) addresses of an entry's code; ``base`` is its unit's first."""
    if base is None:
        base = _number(unit.get_top_DIE(), "DW_AT_low_pc") or 0
    place = _number(entry, "DW_AT_ranges")
    if place is not None:
        for piece in dwarf.range_lists().get_range_list_at_offset(place, unit):
            if hasattr(piece, "base_address"):
                base = piece.base_address
            else:
                offset = 0 if piece.is_absolute else base
                yield piece.begin_offset + offset, min(piece.end_offset + offset, ADDRESSES)
        return
    low, high = _number(entry, "DW_AT_low_pc"), _number(entry, "DW_AT_high_pc")
    if low is not None and high is not None:
        absolute = entry.attributes["DW_AT_high_pc"].form.startswith("DW_FORM_addr")
        yield low, min(high if absolute else low + high, ADDRESSES)


def name_of(entry: Any) -> str:
    """An entry's name, which may stand with its declaration, in another unit even; "" if none."""
    for _ in range(MAX_DEPTH):
        attribute = entry.attributes.get("DW_AT_name")
        if attribute is not None:
            return _text(attribute.value)
        for name in ("DW_AT_abstract_origin", "DW_AT_specification"):
            if name in entry.attributes:
                entry = entry.get_DIE_from_attribute(name)
                break
        else:
            return ""
    return ""
