"""The entry of a kernel that has no kernel_main: TT_KERNEL marks it, and its parameters are its
named arguments."""

import re
from dataclasses import dataclass
from typing import Final

_ENTRY: Final = re.compile(
    r"^(?:template\s*<(?P<constants>[^>]*)>\s*(?://[^\n]*\s*)*)?"
    r"TT_KERNEL\s+void\s+(?P<name>\w+)\((?P<parameters>[^)]*)\)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Entry:
    """C++ of the kernel_main that calls it; what TT_KERNEL is where that has to come first."""

    main: str
    mark: str


def find_entry(text: str) -> Entry | None:
    """The entry that a source marks, if it does."""
    found = _ENTRY.search(text)
    if not found:
        return None
    constants, parameters = (_parameters(found[part]) for part in ("constants", "parameters"))
    given = _arguments(constants)
    call = f"{found['name']}<{given}>" if given else found["name"]
    main = f"void kernel_main() {{ {call}({_arguments(parameters)}); }}"
    declared = f"static void {found['name']}({', '.join(parameters)});"
    template = f"template <{', '.join(constants)}> " if constants else ""
    return Entry(main, f"{declared} {main} {template}static")


def _parameters(text: str | None) -> list[str]:
    """Each with its type, without comments and defaults."""
    plain = re.sub(r"//.*|/\*.*?\*/|=[^,]*", "", text or "")
    return [" ".join(each.split()) for each in plain.split(",") if each.strip()]


def _arguments(parameters: list[str]) -> str:
    """What a kernel's entry is given for its parameters: the arguments of those names."""
    return ", ".join(f"get_arg(args::{each.split()[-1]})" for each in parameters)
