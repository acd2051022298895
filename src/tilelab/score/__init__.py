"""Scores of kernels: right, how exact, how fast, and what is wrong, in one answer.

``one`` scores a kernel in this process, ``apart`` in another within limits of time and memory,
``sweep`` asks every number of an input, ``ulp`` says how far results are from exact.

The package can be called: ``tilelab.score(...)`` is :func:`tilelab.score.apart.score`.
"""

from tilelab.sim.room import make_callable

make_callable(__name__, "tilelab.score.apart", "score")
