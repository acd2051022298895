"""A tile's baby cores: their names and numbers, and where they start after a reset."""

from typing import Final

CORE_IDS: Final = {"trisc0": 0, "trisc1": 1, "trisc2": 2, "brisc": 3, "ncrisc": 4}
FIXED_RESET_PC: Final = (0x6000, 0xA000, 0xE000, 0, 0x12000)
"""By number; source: BabyRISCV/README.md, SoftReset.md."""
