"""The reference pages: every instruction with its diagram, in English and Chinese, as Markdown.

Generated; ``tilelab tilext reference`` writes them and a test compares them with ``docs/tilext``.
"""

from tilelab.tilext import func6, tcsr
from tilelab.tilext.diagram import LANGUAGES, diagram
from tilelab.tilext.profile import Profile
from tilelab.tilext.questions import ANSWERED, QUESTIONS, Question
from tilelab.tilext.syntax import Plan, Syntax
from tilelab.tilext.table import Row
from tilelab.tilext.texts import MATRIX, SCOPES, meaning, words
from tilelab.tilext.validate import overlaps, validate


def usage(plan: Plan) -> str:
    """Return the shape of an instruction's assembly line."""
    parts = [f"({o})" if o == plan.address else o for o in plan.positions]
    for key, choice in plan.choices.items():
        immediate = f"|{choice.immediate}" if choice.immediate else ""
        parts.append(f"[{key}={choice.register}{immediate}]")
    chosen = {choice.immediate for choice in plan.choices.values()}
    for operand in plan.named:
        if plan.kinds[operand].value == "flag":
            parts.append(f"[{operand}]")
        elif operand not in chosen:
            parts.append(f"[{operand}=…]" if operand == "imm" else f"{operand}=…")
    return f"{plan.instruction.name} {', '.join(parts)}".strip()


def _operand_rows(profile: Profile, row: Row, plan: Plan, language: str) -> list[str]:
    text = words(language)
    out = [text["columns"], "|---|---|---|---|---|"]
    for name, operand in plan.instruction.operands.items():
        places, origins = [], []
        for piece in operand.pieces:
            hi, lo = piece.field.hi, piece.field.lo
            bits = f"[{hi}]" if hi == lo else f"[{hi}:{lo}]"
            places.append(f"{text['word'].format(piece.slot)} {bits}")
            word = next(w for w in profile.words[row.name] if w.slot == piece.slot)
            assert word.word is not None
            cell = next(c for c in word.word.cells if c.field == piece.field)
            origin = word.origin(row.name, cell)
            kind = text[f"legend {origin.kind}"]
            kind += f", {text['line'].format(origin.line)}" if origin.line else ""
            link = f" ([{origin.question}](open-questions.md#{origin.question}))"
            origins.append(kind + (link if origin.question else ""))
        form = profile.forms[row.name]
        term = meaning(row.name, form.family, name)
        means = text["unstated"]
        if name == "func6":
            means = text["func6_of"].format(form.func6, form.direction)
        if term is not None:
            means = term.en if language == "en" else term.zh
        kind = text[f"kind {plan.kinds[name].value}"]
        out.append(
            f"| `{name}` | {kind} | {'; '.join(places)} | {means} | "
            f"{'; '.join(dict.fromkeys(origins))} |"
        )
    return out if len(out) > 2 else []


def _instruction(profile: Profile, syntax: Syntax, row: Row, language: str) -> list[str]:
    text = words(language)
    place = text["line"].format(row.line) if row.line else text["legend overlay"]
    out = [f"### {row.name}", "", f"{row.title}, {place}", ""]
    plan = syntax.plans.get(row.name)
    if plan is not None:
        out += ["```", usage(plan), "```", ""]
    else:
        lost = "; ".join(word.lost for word in profile.words[row.name] if word.lost)
        out += [f"{text['lost']}: {lost}.", ""]
    out += [f"![{row.name}](img/{row.name}.{language}.svg)", ""]
    if plan is not None and (rows := _operand_rows(profile, row, plan, language)):
        out += [*rows, ""]
    twins = [
        o.second if o.first == row.name else o.first
        for o in overlaps(profile)
        if row.name in (o.first, o.second)
    ]
    if twins:
        out += [f"{text['also']}: {', '.join(f'`{twin}`' for twin in twins)}.", ""]
    return out


def _tables(profile: Profile, language: str) -> list[str]:
    text = words(language)
    out = ["## func6", "", text["func6_columns"], "|---|---|---|---|---|---|---|"]
    for entry in func6.PRINTED if profile.name == "printed" else func6.REPAIRED:
        out.append(
            f"| {entry.table} | {entry.code:06b} | {entry.direction} | `{entry.name}` | "
            f"{entry.bits} | {entry.meaning(language)} | {entry.line} |"
        )
    answer = {True: text["yes"], False: text["no"], None: "-"}
    out += ["", text["csr"], "", text["csr_columns"], "|---|---|---|---|---|"]
    for rule in tcsr.TABLE_10:
        cells = (rule.rd_is_x0, rule.source_is_zero, rule.reads, rule.writes)
        out.append(f"| {'/'.join(rule.instructions)} | {' | '.join(answer[c] for c in cells)} |")
    out += ["", text["timing"], "", text["matrix"], ""]
    return [*out, *_matrix(language), "", *_mind_map(language), ""]


def _matrix(language: str) -> list[str]:
    """Return the document's matrix of synchronisation."""
    scopes, last = SCOPES[language], words(language)["matrix_last"]
    out = [f"| | {' | '.join(scopes)} | {last} |", "|---" * (len(scopes) + 2) + "|"]
    for row in MATRIX:
        marks = " | ".join("✓" if mark else "" for mark in row.scopes)
        says = row.en if language == "en" else row.zh
        line = words(language)["line"].format(row.line)
        out.append(f"| {row.name} | {marks} | {says} ({line}) |")
    return out


def _mind_map(language: str) -> list[str]:
    """Return what the mind map suggests."""
    text = words(language)
    out = [text["map"], "", text["map_columns"], "|---|---|"]
    said = {key.removeprefix("map "): says for key, says in text.items() if key.startswith("map ")}
    return out + [f"| {field} | {says} |" for field, says in said.items()]


def reference_page(profile: Profile, language: str) -> str:
    """Return the page of all instructions."""
    text, syntax, report = words(language), Syntax(profile), validate(profile)
    note = text["note"].format(profile.name, report.encodable, report.instructions, report.words)
    out = [f"# {text['title']}", "", note, "", text["newest"], ""]
    family = ""
    for row in profile.table.values():
        if profile.forms[row.name].family != family:
            family = profile.forms[row.name].family
            out += [f"## {family}", ""]
        out += _instruction(profile, syntax, row, language)
    return "\n".join([*out, *_tables(profile, language)])


def questions_page() -> str:
    """Return the open questions to the ISA's owners, in both languages."""
    out = [
        "# Tile Extension: open questions",
        "",
        f"Generated by `tilelab tilext open-questions`; do not edit. {len(QUESTIONS)} questions to "
        "the owners of the ISA. Lines are those of the encoding document.",
        "",
    ]
    topic = ""
    for question in QUESTIONS.values():
        if question.topic != topic:
            topic = question.topic
            out += [f"## {topic}", ""]
        out += _question(question)
    out += ["## Answered by the document itself", ""]
    for question in ANSWERED.values():
        out += _question(question)
    return "\n".join(out)


def _question(question: Question) -> list[str]:
    """Return a question's paragraph."""
    last = f"Answered by line {question.answered}" if question.answered else "Until then"
    return [
        f'<a id="{question.key}"></a>**{question.key}** ({question.lines})',
        "",
        f"- {question.ask}",
        f"- {question.zh}",
        f"- {last}: {question.reading}",
        "",
    ]


def pages(profile: Profile) -> dict[str, str]:
    """Return every generated file of the reference by its path below the output folder."""
    found = {
        f"reference.{language}.md": reference_page(profile, language) for language in LANGUAGES
    }
    found["open-questions.md"] = questions_page()
    for name in profile.table:
        for language in LANGUAGES:
            found[f"img/{name}.{language}.svg"] = diagram(profile, name, language)
    return found
