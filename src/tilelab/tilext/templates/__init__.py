"""Files in other languages that exports begin with, each in its own language."""

from importlib.resources import files


def template(name: str, **facts: object) -> str:
    """One of the files beside this module; ``@NAME@`` in it stands for a fact of that name."""
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    for key, value in facts.items():
        text = text.replace(f"@{key.upper()}@", str(value))
    return text
