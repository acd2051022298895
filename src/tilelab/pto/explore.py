"""Search every interleaving of a pipe's credits: proof of safety, or the shortest bad schedule.

The payload is left out. One operation of one core (its waits, its access, its signal) is one atomic
step: a signal only enables others, and whatever another core may do between a wait and the access
behind it, it may also do before that wait. The state is each core's place in its program and every
counter. With ``tiles=None`` the programs repeat for ever; places are then taken modulo the
protocol's period, so that a finished search is a proof for any number of tiles.

Not modelled: entry offsets, GlobalTensor forms, ``set_tile_id``.
"""

from collections import deque
from dataclasses import asdict, dataclass, field
from typing import Any

from tilelab.pto.credit_model import CreditModel, Model, State
from tilelab.pto.errors import Bad, PipeConfigError
from tilelab.sim.errors import TilelabError


class ExploreLimitError(TilelabError):
    """The search needs more states than allowed; nothing is proved."""


@dataclass
class Verdict:
    """The outcome. ``max_overrun``: tiles that can be overwritten unread."""

    model: Model
    states: int = 0
    found: list[Bad] = field(default_factory=list)
    max_overrun: int = 0
    max_ready: int = 0
    max_lead: int = 0
    leftover: int = 0

    @property
    def safe(self) -> bool:
        """Whether the configuration is free of every searched fault."""
        return not self.found

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        data = asdict(self)
        data["model"]["direction"] = self.model.direction.name
        return data | {"safe": self.safe}


class _Search:
    def __init__(self, model: Model, max_states: int) -> None:
        self.model = model
        self.max_states = max_states
        self.credits = CreditModel(model)
        self.verdict = Verdict(model)
        self.seen: dict[State, tuple[State, int] | None] = {}
        self.kinds: set[str] = set()

    def run(self) -> Verdict:
        start: State = ((0,) * len(self.credits.actors), (0,) * self.credits.counters)
        self.seen[start] = None
        front = deque([start])
        while front:
            state = front.popleft()
            moved = False
            for index in range(len(self.credits.actors)):
                result = self.credits.step(state, index)
                if result is None:
                    continue
                moved = True
                after, bad = result
                for kind, code, message in bad:
                    self._found(kind, code, message, state, index)
                if after not in self.seen and not (bad and self.model.tiles is None):
                    self.seen[after] = (state, index)
                    if len(self.seen) > self.max_states:
                        raise ExploreLimitError(
                            f"more than {self.max_states} states; nothing is proved"
                        )
                    front.append(after)
            if not moved:
                self._terminal(state)
        peaks, verdict = self.credits.peaks, self.verdict
        verdict.max_overrun, verdict.max_ready = peaks.overrun, peaks.ready
        verdict.max_lead = peaks.lead
        verdict.states = len(self.seen)
        return verdict

    def _terminal(self, state: State) -> None:
        places, counters = state
        stuck = [a.name for a, place in zip(self.credits.actors, places, strict=True) if place >= 0]
        if stuck:
            waits = "; ".join(
                f"{a.name} in {self.credits.describe(a, place)}"
                for a, place in zip(self.credits.actors, places, strict=True)
                if place >= 0
            )
            self._found("deadlock", "E9", f"no core can run: {waits}", state, None)
        elif any(counters):
            self.verdict.leftover = max(self.verdict.leftover, *counters)
            self._found(
                "flag-leak",
                "E15",
                f"{max(counters)} signal(s) left standing at the end",
                state,
                None,
            )

    def _found(self, kind: str, code: str, message: str, state: State, last: int | None) -> None:
        if kind in self.kinds:
            return
        self.kinds.add(kind)
        moves: list[str] = []
        if last is not None:
            moves.append(self._move(state, last))
        link = self.seen[state]
        while link is not None:
            before, index = link
            moves.append(self._move(before, index))
            link = self.seen[before]
        self.verdict.found.append(Bad(code, message, "", moves[::-1], kind))

    def _move(self, state: State, index: int) -> str:
        actor = self.credits.actors[index]
        return f"{actor.name} {self.credits.describe(actor, state[0][index])}"


def explore(model: Model, max_states: int = 2_000_000) -> Verdict:
    """Search ``model`` through; raises ExploreLimitError beyond ``max_states``."""
    for name in ("slots", "record_period", "wait_period", "flag_bits"):
        if getattr(model, name) < (1 if name == "slots" else 0):
            raise PipeConfigError(f"{name} cannot be {getattr(model, name)}")
    if model.tiles is not None and model.tiles < 1:
        raise PipeConfigError(f"tiles must be at least 1, got {model.tiles}")
    if model.vec not in (1, 2):
        raise PipeConfigError(f"a cluster has 1 or 2 Vector cores, not {model.vec}")
    return _Search(model, max_states).run()
