"""Bit diagrams of an instruction's words as SVG, in English or Chinese."""

from dataclasses import dataclass
from html import escape

from tilelab.isa.field import runs
from tilelab.isa.multiword import Cell
from tilelab.tilext.profile import Profile, ProfileWord
from tilelab.tilext.texts import words

LANGUAGES = ("en", "zh")
_BIT = 30  # width of one bit
_LEFT = 118  # room for the word's name
_FONT = "Noto Sans, Noto Sans CJK SC, DejaVu Sans, sans-serif"
_FILL = {
    "printed": "#ffffff",
    "placed": "#efe2fa",
    "repaired": "#cfe3fb",
    "inferred": "#fde9c0",
    "overlay": "#dcf3d8",
    "unassigned": "#e4e4e4",
    "opcode": "#d4d4d4",
}


@dataclass(frozen=True)
class Box:
    """A stretch of bits to draw."""

    hi: int
    lo: int
    label: str
    kind: str


def boxes(name: str, word: ProfileWord) -> list[Box]:
    """Return a word's cells and its unassigned bits, highest first."""
    if word.word is None:
        return []
    found = [_box(name, word, cell) for cell in word.word.cells]
    for low, width in runs(word.word.unassigned):
        found.append(Box(low + width - 1, low, "", "unassigned"))
    return sorted(found, key=lambda box: -box.hi)


def _box(name: str, word: ProfileWord, cell: Cell) -> Box:
    if cell.field.name == "opcode":
        return Box(6, 0, "opcode", "opcode")
    return Box(cell.field.hi, cell.field.lo, cell.label, word.origin(name, cell).kind)


def _text_width(text: str) -> float:
    """Estimate a label's width in pixels at 12 px, on the wide side."""
    return sum(12.5 if ord(char) > 0x2E80 else 7.2 for char in text)


def _rotated(box: Box) -> bool:
    room = (box.hi - box.lo + 1) * _BIT - 6
    return max(_text_width(line) for line in _lines(box.label, room)) > room


def _lines(label: str, room: float) -> list[str]:
    """Break a label that is too wide before its remark, else before its digits."""
    if _text_width(label) <= room:
        return [label]
    cut = label.find("(") if "(" in label else label.rfind(":")
    if cut <= 0 or "[" in label:
        return [label]
    rest = label[cut:].lstrip(":")
    return [label[:cut], rest] if _text_width(rest) <= room else [label[:cut], *rest.split()]


def _height(found: list[Box]) -> int:
    rotated = [_text_width(box.label) + 14 for box in found if _rotated(box)]
    return round(max([40.0, *rotated]))


def _draw_box(box: Box, y: int, height: int) -> list[str]:
    x, width = _LEFT + (31 - box.hi) * _BIT, (box.hi - box.lo + 1) * _BIT
    out = [f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{_FILL[box.kind]}"/>']
    ends = [(box.hi, x + 3, "start"), (box.lo, x + width - 3, "end")]
    for bit, at, anchor in ends if box.hi != box.lo else [(box.hi, x + width // 2, "middle")]:
        out.append(f'<text class="b" x="{at}" y="{y - 4}" text-anchor="{anchor}">{bit}</text>')
    cx, cy = x + width / 2, y + height / 2
    if _rotated(box):
        turn = f'transform="translate({cx + 4:g} {cy:g}) rotate(-90)"'
        return [*out, f'<text {turn} text-anchor="middle">{escape(box.label)}</text>']
    lines = _lines(box.label, width - 6)
    for number, line in enumerate(lines):
        dy = cy + 4 + (number - (len(lines) - 1) / 2) * 15
        out.append(f'<text x="{cx:g}" y="{dy:g}" text-anchor="middle">{escape(line)}</text>')
    return out


def diagram(profile: Profile, name: str, language: str = "en") -> str:
    """Return an instruction's words, in issue order, as one SVG picture."""
    body: list[str] = []
    kinds: set[str] = set()
    say, y = words(language), 22
    by_slot = {word.slot: word for word in profile.words[name]}
    for slot in (slot for slot in profile.order if slot in by_slot):
        found = boxes(name, by_slot[slot])
        kinds |= {box.kind for box in found}
        height = _height(found) if found else 40
        title = say["diagram word"].format(slot)
        body.append(f'<text class="w" x="4" y="{y + height / 2 + 4:g}">{title}</text>')
        if slot == 2:
            asp = f"ASP_{profile.forms[name].direction}"
            body.append(f'<text x="4" y="{y + height / 2 + 22:g}">{asp}</text>')
        if not found:
            body.append(
                f'<rect x="{_LEFT}" y="{y}" width="{32 * _BIT}" height="{height}" fill="none" '
                f'stroke-dasharray="5 4"/><text x="{_LEFT + 16 * _BIT}" y="{y + 24}" '
                f'text-anchor="middle">{say["diagram lost"]}</text>'
            )
        for box in found:
            body += _draw_box(box, y, height)
        y += height + 26
    body += _legend(kinds, y - 8, language)
    width = _LEFT + 32 * _BIT + 4
    style = (
        f"text{{font:12px {_FONT};fill:#111}}.b{{font-size:9.5px;fill:#555}}"
        ".w{font-weight:bold}rect{stroke:#444}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y + 14}" '
        f'viewBox="0 0 {width} {y + 14}" lang="{language}"><title>{escape(name)}</title>'
        f"<style>{style}</style>"
        f'<rect width="{width}" height="{y + 14}" fill="#fff" style="stroke:none"/>\n'
        + "\n".join(body)
        + "\n</svg>\n"
    )


def _legend(kinds: set[str], y: int, language: str) -> list[str]:
    out, x = [], _LEFT
    for kind in (kind for kind in _FILL if kind in kinds):
        label = words(language)[f"legend {kind}"]
        out.append(f'<rect x="{x}" y="{y}" width="14" height="12" fill="{_FILL[kind]}"/>')
        out.append(f'<text x="{x + 20}" y="{y + 11}">{label}</text>')
        x += 44 + round(_text_width(label))
    return out
