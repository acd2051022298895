"""The table against the encoding document, line by line and cell by cell."""

import re

import pytest

from tilelab.tilext.table import TABLE

WORDS = [(row, word) for row in TABLE.values() for word in row.words]
IDS = [f"{row.name}.{word.slot}" for row, word in WORDS]
CONTINUED = {267: 269}  # a row whose cells go on in another line
UNALIGNED = {240, 408, 480}  # rows cut off from their bit numbers: compared in order only
MISREAD = {"mmapop": "mmauop"}


def squeeze(text):
    """Blanks and underscores are where extraction broke words; remarks stand in parentheses."""
    return re.sub(r"\([^()]*\)|[\s_]", "", text)


def layout(word):
    """The table's cells as (bits, label, restored)."""
    cells = []
    for text in word.cells.split():
        head, bits, *digits = text.rstrip("!").split("=")
        remark = re.search(r"\(\w+\)$", digits[0] if digits else bits)
        bits = bits.partition("(")[0]
        if choice := re.fullmatch(r"\w+\(\w+:(.+)\|(.+)\)", head):
            hi, lo = map(int, bits.split(":"))
            head = f"{choice[1]}/{choice[2] if choice[2] != '0' else '0' * (hi - lo + 1)}"
        digits = digits[0].partition("(")[0] if digits else ""
        label = digits if head == "_" else head + (f":{digits}" if digits else "")
        if remark and not digits:  # src_type:vec, a value without digits
            label += f":{remark[0][1:-1]}"
        cells.append((bits, squeeze(label.replace("1xxxxx", "100xxx-111xxx")), text[-1] == "!"))
    return cells


def columns(seed, line):
    cells = seed[line].split("\t")
    if line in CONTINUED:
        more = seed[CONTINUED[line]].split("\t")
        cells = [a + b for a, b in zip(cells, more, strict=True)]
    return [squeeze(cell) for cell in cells]


def agrees(printed, label, restored):
    if not restored:
        return printed.rstrip(":") == label
    printed = MISREAD.get(printed, printed)
    rest = iter(label)  # what is left of a damaged cell is in order
    return all(char in rest for char in printed)


def test_there_are_forty_instructions_of_seventy_eight_words():
    assert (len(TABLE), len(WORDS)) == (40, 78)


@pytest.mark.parametrize(("row", "word"), WORDS, ids=IDS)
def test_a_word_is_as_printed(seed, row, word):
    if not word.cells:
        assert word.lost
        return
    cells = layout(word)
    if word.line in UNALIGNED:
        found = [cell for cell in columns(seed, word.line) if cell]
        found = [cell.replace("srctype:vec1", "srctype:1") for cell in found]
        assert len(found) == len(cells)
        for printed, (_, label, restored) in zip(found, cells, strict=True):
            assert agrees(printed, label, restored), (printed, label)
        return
    header, values = columns(seed, word.header)[1:], columns(seed, word.line)[1:]
    printed = {bits: cell for bits, cell in zip(header, values, strict=False) if cell}
    assert all(re.fullmatch(r"\d+(:\d+)?", bits) for bits in printed)
    assert printed.keys() == {bits for bits, *_ in cells}
    for bits, label, restored in cells:
        assert agrees(printed[bits], label, restored), (bits, printed[bits], label)


@pytest.mark.parametrize(("row", "word"), WORDS, ids=IDS)
def test_a_word_has_the_number_that_is_printed(seed, row, word):
    if not word.header:
        return
    numbers = [columns(seed, n)[0].removeprefix("ACE指令编号") for n in (word.header, word.line)]
    assert str(word.slot) in (numbers[0][:1], numbers[1][:1])


@pytest.mark.parametrize("row", TABLE.values(), ids=lambda row: row.name)
def test_an_instruction_has_its_printed_heading(seed, row):
    if row.title.startswith("("):
        assert row.name in ("tsatom.rd", "tsatom.nord", "mma.tt", "talu.2op.v", "talu.3op.f")
    else:
        assert squeeze(row.title) == squeeze(seed[row.line].replace("(TODO)", ""))


def test_every_row_of_the_document_is_claimed(seed):
    claimed = {n for _, word in WORDS for n in (word.header, word.line)} | {269, 192}
    claimed |= {row.line for row in TABLE.values()}
    claimed |= set(range(199, 211)) | set(range(285, 332))  # CSR rules, func6
    tables = {n for n, text in seed.items() if "\t" in text}
    announcements = {n for n, text in seed.items() if squeeze(text).startswith("ACE指令编号")}
    rulers = {n for n, text in seed.items() if not squeeze(text).strip("-")}
    assert sorted(tables - claimed - announcements - rulers) == []


def test_every_announced_table_is_one_instruction(seed):
    """Each "ACE 指令编号" opens one instruction; two fragments have lost theirs."""
    starts = [n for n, text in seed.items() if squeeze(text).startswith("ACE指令编号")]
    headers = sorted(
        min(w.header for w in row.words if w.header)
        for row in TABLE.values()
        if row.name not in ("mma.tt", "talu.3op.f")
    )
    assert len(starts) == len(headers) == 38
    assert all(0 <= header - start <= 3 for start, header in zip(starts, headers, strict=True))


def test_the_copy_is_the_documents(seed, whole_seed):
    assert all(whole_seed[number - 1] == text for number, text in seed.items())
    missing = [
        number
        for number, text in enumerate(whole_seed, 1)
        if "\t" in text and number not in seed and not 21 <= number <= 22
    ]
    assert [n for n in missing if not 413 <= n <= 419] == []
