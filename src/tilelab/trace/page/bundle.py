"""Makes one script of the page's ES modules: a page of one file has nothing to import from.

Imports are resolved here and taken out, so all modules share one scope: a name may stand for one
thing only, which is checked.
"""

import re
from collections.abc import Callable

IMPORT = re.compile(r'^import \{ ([\w$, ]+) \} from "\./([\w.]+)";\n', re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let) )", re.M)
EXPORTED = re.compile(r"^export (?:async )?(?:function|class|const|let) ([\w$]+)", re.M)
TOP = re.compile(r"^(?:export )?(?:async )?(?:function|class|const|let) ([\w$]+)", re.M)


class BundleError(Exception):
    """The modules do not fit together."""


def bundle(entry: str, read: Callable[[str], str]) -> str:
    """One script of a module and all that it imports; ``read`` gives a module's text by name."""
    texts: dict[str, str] = {}
    owner: dict[str, str] = {}

    def take(name: str, waiting: tuple[str, ...]) -> None:
        if name in waiting:
            raise BundleError(f"circle of imports: {' -> '.join((*waiting, name))}")
        if name in texts:
            return
        text = read(name)
        for names, source in IMPORT.findall(text):
            take(source, (*waiting, name))
            offered = set(EXPORTED.findall(read(source)))
            if missing := set(names.split(", ")) - offered:
                raise BundleError(f"{source} exports no {', '.join(sorted(missing))} ({name})")
        for top in TOP.findall(text):
            if owner.setdefault(top, name) != name:
                raise BundleError(f"{top} is in {owner[top]} and in {name}")
        texts[name] = f"/* {name} */\n" + EXPORT.sub("", IMPORT.sub("", text))

    take(entry, ())
    return "\n".join(texts.values())
