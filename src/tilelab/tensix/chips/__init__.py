"""The chips, one folder each, whose package has the chip's profile as ``CHIP``."""

from pkgutil import iter_modules

NAMES = tuple(sorted(folder.name for folder in iter_modules(__path__) if folder.ispkg))
