"""A tile that runs under one schedule, for debuggers and whoever else runs it themselves."""

from typing import Any

import numpy as np

from tilelab.explore.engine import ExploringEngine
from tilelab.explore.plan import ACTORS, CHANGES, DELAY, DELAYS, NOBODY, PLAN, TURNING
from tilelab.explore.schedule import DOCUMENTED, AnySchedule, Priorities
from tilelab.sim.errors import BadInputError
from tilelab.tensix.tile.tile import Tile


def plan_schedule(plan: Any, schedule: AnySchedule) -> None:
    """Write a schedule into an engine's plan; BadInputError for more delays than it can hold."""
    if isinstance(schedule, Priorities):
        plan["prioritised"] = 1 if schedule.reachable == DOCUMENTED else 2
        for place, actor in enumerate(schedule.order):
            plan["priority"][actor] = CHANGES + ACTORS - place
        plan["changes"] = len(schedule.changes)
        plan["change"][: len(schedule.changes)] = schedule.changes
        return
    if len(schedule) > DELAYS:
        raise BadInputError(f"a schedule has at most {DELAYS} delays")
    delays = [delay for delay in schedule if delay.actor != TURNING]
    plan["turns_late"] = max((d.rounds for d in schedule if d.actor == TURNING), default=0)
    plan["count"] = len(delays)
    plan["actors"] = sum({1 << delay.actor for delay in delays})
    after = [0] * len(delays)
    following = [0] * ACTORS
    # each actor's, in the order in which it comes to them
    for i in sorted(range(len(delays)), key=lambda i: delays[i].at, reverse=True):
        after[i], following[delays[i].actor] = following[delays[i].actor], i + 1
    plan["next"] = following
    plan["delay"][: len(delays)] = [
        (d.actor, d.at, d.rounds, *(d.until or (NOBODY, 0)), d.late, 0, 0, 0, then)
        for d, then in zip(delays, after, strict=True)
    ]


class Held:
    """Makes a tile that is loaded and started run under a schedule; how far that has come."""

    pending = False
    """It gives the tile nothing from outside."""

    def __init__(self, tile: Tile, schedule: AnySchedule) -> None:
        engine = ExploringEngine(tile.state, tile.sources.describe_pc)
        tile.engine = engine
        plan_schedule(engine.plan, schedule)
        # what changes in a run stands before what is only remembered
        assert PLAN.fields is not None
        end = int(PLAN.fields["delay"][1]) + int(engine.plan["count"]) * DELAY.itemsize
        self._changing = engine.plan.reshape(1).view(np.uint8)[:end]

    def give(self) -> None:
        """Give nothing."""

    def mark(self) -> bytes:
        """How far the schedule is."""
        return self._changing.tobytes()

    def reset(self, mark: bytes) -> None:
        """Go back to where it was."""
        self._changing[:] = np.frombuffer(mark, np.uint8)
