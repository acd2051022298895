"""Check what a build made: usage: python -m tests.package_check DIST_FOLDER.

The wheel must hold every module, header, table, example and page of the checkout and nothing else;
the source distribution also what its tests and documentation need. The description has no link
that needs the checkout.
"""

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def tracked(*folders: str) -> set[str]:
    """The files that git knows below some folders."""
    command = ["git", "-C", str(ROOT), "ls-files", *folders]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def wheel_problems(wheel: Path) -> list[str]:
    """What a wheel lacks or should not hold."""
    wanted = {name.removeprefix("src/") for name in tracked("src")}
    wanted |= {f"tilelab/{name}" for name in tracked("examples", "docs")}
    archive = zipfile.ZipFile(wheel)
    found = {name for name in archive.namelist() if ".dist-info/" not in name}
    (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    return _differences(wheel.name, wanted, found) + dead_links(archive.read(metadata).decode())


def dead_links(text: str) -> list[str]:
    """Links and pictures of a package's description that lead nowhere on an index."""
    found = re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"", text)
    links = ["".join(pair) for pair in found]
    return [f"the description links to {link}" for link in links if not re.match(r"[a-z]+:", link)]


def sdist_problems(sdist: Path) -> list[str]:
    """What a source distribution lacks."""
    wanted = tracked("src", "tests", "examples", "docs", "README.md", "LICENSE", "NOTICE")
    with tarfile.open(sdist) as archive:
        found = {member.name.partition("/")[2] for member in archive if member.isfile()}
    return _differences(sdist.name, wanted, found & wanted)


def _differences(archive: str, wanted: set[str], found: set[str]) -> list[str]:
    lacks = [f"{archive} lacks {name}" for name in sorted(wanted - found)]
    return lacks + [f"{archive} should not hold {name}" for name in sorted(found - wanted)]


def main() -> int:
    """Check the one wheel and the one source distribution in a folder."""
    folder = Path(sys.argv[1])
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    problems = wheel_problems(wheel) + sdist_problems(sdist)
    print("\n".join(problems) or "the wheel and the source distribution are complete")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
