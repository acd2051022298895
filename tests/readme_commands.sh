# Run the two commands that the README offers first, as a reader would: from a fresh clone with
# nothing beside it, with an empty home folder and so an empty cache, and without the compilers and
# the browser that this machine may have. Names what it took, and each test that passed.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
clone=$work/tilelab
git clone -q . "$clone"
mkdir "$work/home" "$work/bin"
# Python, and what a system without compilers and browsers has; nothing else of this machine is found.
ln -s "$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')" "$work/bin/python3"
for tool in /bin/* /usr/bin/* /sbin/* /usr/sbin/*; do
    case $(basename "$tool") in
        *gcc* | *g++* | *clang* | *llvm* | cc | c++ | cpp | c[89]9* | ld* | *lld* | riscv* | *chrom* | python* | pip*) ;;
        *) [ -e "$work/bin/$(basename "$tool")" ] || ln -s "$tool" "$work/bin/" ;;
    esac
done
cd "$clone"
python3 - <<'PY' > commands.sh
import re, pathlib
text = pathlib.Path("README.md").read_text(encoding="utf-8")
blocks = re.findall(r"<!-- command: (?:run|test) -->\n```sh\n(.*?)```", text, re.S)
assert len(blocks) == 2, f"README.md marks {len(blocks)} commands, not 2"
print("\n".join(blocks))
PY
cat commands.sh
# the package client's own settings are the machine's, not the home folder's
mapfile -t pip < <(env | grep '^PIP_' || true)
time env -i "${pip[@]}" HOME="$work/home" PATH="$work/bin" TMPDIR="${TMPDIR:-/tmp}" LANG=C.UTF-8 \
    PYTEST_ADDOPTS=-rspfE bash -euo pipefail commands.sh
