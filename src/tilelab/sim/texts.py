"""Text files that stand beside a package's modules, each in its own language."""

from importlib.resources import files


def text_of(package: str, name: str, /, **facts: object) -> str:
    """A file of a package; ``@NAME@`` in it stands for a fact of that name."""
    text = files(package).joinpath(name).read_text(encoding="utf-8")
    for key, value in facts.items():
        text = text.replace(f"@{key.upper()}@", str(value))
    return text
