#!/usr/bin/env bash
# Lay out DIR so that the vendor's kernel tests build and run (docs/vendor-tests.md):
#   DIR/wheel  the vendor's kernels and tests, out of the `ttnn` wheel (PyPI)
#   DIR/venv   a Python that can run the vendor's tests
# and, inside the wheel, tests/sfpi: Debian's RISC-V GCC dressed as the vendor's compiler, with our headers.
# usage: setup.sh DIR      (about a minute and 1.5 GB; root or sudo for apt-get)
set -euo pipefail
kit=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:?usage: setup.sh DIR}"; cd "$1"
sudo=; [ "$(id -u)" = 0 ] || sudo=sudo
cross=riscv64-unknown-elf

echo "1/4 cross compiler (Debian)"
if ! command -v $cross-g++ >/dev/null || [ ! -d /usr/lib/picolibc/$cross ]; then
    $sudo apt-get update -qq
    $sudo apt-get install -y -qq --no-install-recommends gcc-$cross picolibc-$cross
fi

echo "2/4 kernels (PyPI: ttnn)"
python3 -m pip download -q --no-deps --only-binary=:all: --python-version 3.12 --implementation cp \
    --platform manylinux_2_34_x86_64 -d dl ttnn==0.81.1
python3 - <<'EOF'
import pathlib, zipfile
with zipfile.ZipFile(next(pathlib.Path("dl").glob("ttnn-*.whl"))) as z:
    z.extractall("wheel", [n for n in z.namelist()
                           if n.startswith("ttnn/tt_metal/") and "/pre-compiled/" not in n])
EOF
rm -rf dl

echo "3/4 toolchain"
sfpi=wheel/ttnn/tt_metal/tt-llk/tests/sfpi
mkdir -p $sfpi/compiler/bin $sfpi/include debs
cp "$kit"/include/*.h $sfpi/include/
install -m755 "$kit"/toolchain/riscv-tt-elf-g++ $sfpi/compiler/bin/
for tool in objdump objcopy size nm readelf; do
    ln -sf "$(command -v $cross-$tool)" $sfpi/compiler/bin/riscv-tt-elf-$tool
done
# Debian has no libstdc++ for bare-metal RISC-V. The Arm package's headers are of the same GCC version.
(cd debs && apt-get download -qq libstdc++-arm-none-eabi-dev && dpkg-deb -x libstdc++-arm-none-eabi-dev_*.deb .)
rm -rf $sfpi/include/c++; mv debs/usr/include/newlib/c++/* $sfpi/include/c++; rm -rf debs

echo "4/4 Python for the vendor's tests"
python3 -m venv venv
pip="venv/bin/python -m pip install -q --disable-pip-version-check"
$pip torch==2.13.0+cpu 2>/dev/null || $pip torch --index-url https://download.pytorch.org/whl/cpu 2>/dev/null || $pip torch
$pip -r "$kit"/requirements.txt
echo "ready: $PWD"
