"""What tilelab's own headers and loader keep where in L1."""

from typing import Final

CIRCULAR_BUFFERS: Final = range(0x1FE00, 0x1FF00)
"""The counters of the 32 circular buffers: tiles pushed, tiles popped."""
