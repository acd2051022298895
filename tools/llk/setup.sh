#!/usr/bin/env bash
# Lay out DIR so that the vendor's kernel tests build and run (docs/vendor-tests.md):
#   DIR/wheel  the vendor's kernels and tests, out of the `ttnn` wheel (PyPI)
#   DIR/venv   a Python that can run the vendor's tests
# and, inside the wheel, tests/sfpi: `tilelab sfpi`, with which they are built.
# usage: setup.sh DIR      (about a minute and 1.5 GB; packages of PyPI alone)
set -euo pipefail
kit=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:?usage: setup.sh DIR}"; cd "$1"

echo "1/3 kernels (PyPI: ttnn)"
python3 -m pip download -q --no-deps --only-binary=:all: --python-version 3.12 --implementation cp \
    --platform manylinux_2_34_x86_64 -d dl ttnn==0.81.1
python3 - <<'EOF'
import pathlib, zipfile
with zipfile.ZipFile(next(pathlib.Path("dl").glob("ttnn-*.whl"))) as z:
    z.extractall("wheel", [n for n in z.namelist()
                           if n.startswith("ttnn/tt_metal/") and "/pre-compiled/" not in n])
EOF
rm -rf dl

echo "2/3 Python for the vendor's tests"
python3 -m venv venv
pip="venv/bin/python -m pip install -q --disable-pip-version-check"
$pip torch==2.13.0+cpu 2>/dev/null || $pip torch --index-url https://download.pytorch.org/whl/cpu 2>/dev/null || $pip torch
$pip -r "$kit"/requirements.txt
$pip -e "$kit/../..[build]"

echo "3/3 compiler"
venv/bin/tilelab sfpi wheel/ttnn/tt_metal/tt-llk/tests/sfpi
echo "ready: $PWD"
