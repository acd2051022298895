# Run the two commands that the README offers first, as a reader would: from a fresh clone.
# The full reference data, where they lie beside the checkout, lie beside the clone too.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
clone=$work/tilelab
git clone -q . "$clone"
if [ -d ../shared ]; then ln -s "$(cd ../shared && pwd)" "$work/shared"; fi
cd "$clone"
python3 - <<'PY' > commands.sh
import re, pathlib
text = pathlib.Path("README.md").read_text(encoding="utf-8")
blocks = re.findall(r"<!-- command: (?:run|test) -->\n```sh\n(.*?)```", text, re.S)
assert len(blocks) == 2, f"README.md marks {len(blocks)} commands, not 2"
print("\n".join(blocks))
PY
cat commands.sh
bash -euo pipefail commands.sh
