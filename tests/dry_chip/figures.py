"""The dry chip's figures: nothing is known, and everything says so."""

from dataclasses import replace

from tilelab.isa.figure import unknown
from tilelab.tensix.arch import arch

FIGURES = replace(arch("blackhole").figures, clock_mhz=unknown(1, "no document"))
