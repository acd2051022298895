"""Which tests are thorough: those that ``thorough.txt`` lists, by patterns of their names."""

from pathlib import Path

LISTED = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
THOROUGH = [line for line in LISTED if line and not line.startswith("#")]
