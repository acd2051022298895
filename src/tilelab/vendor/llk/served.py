"""The process that serves tiles to the vendor's kernel tests (``tilelab.vendor.serve.fresh``)."""

import json
import subprocess
import sys
from typing import Any

from tilelab.sim.errors import BadInputError

SERVER = "tilelab.vendor.serve.fresh"


class ServedTiles:
    """A socket behind which there is always one tile; :meth:`renew` puts a fresh one there."""

    def __init__(self, arch: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", SERVER, arch],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.folder: str = self._answer()["folder"]
        """Where the vendor's driver finds the socket."""

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise BadInputError("the process that serves tiles has ended")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise BadInputError(answer["error"])
        return answer

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
        except OSError:
            raise BadInputError("the process that serves tiles has ended") from None
        return self._answer()

    def renew(self, wanted: dict[str, Any]) -> None:
        """Put a fresh tile behind the socket; BadInputError for what no tile can be made of.

        ``wanted`` is what ``made`` in ``tilelab.vendor.serve.fresh`` takes. With ``start``,
        ``addresses`` and ``values`` of words, the tile is remembered as it is whenever one is
        written, for :meth:`keep`.
        """
        self._ask({"renew": wanted})

    def keep(
        self,
        folder: str,
        name: str,
        elfs: dict[str, str],
        done: dict[int, int],
        result: tuple[int, int],
    ) -> list[str]:
        """Write the tile as it was at each start into a folder; which files.

        ``done`` and ``result``: as in :mod:`tilelab.kernels.moment`; an end of 0 is L1's.
        """
        wanted = {"folder": folder, "name": name, "elfs": elfs, "done": done, "result": result}
        kept: list[str] = self._ask({"keep": wanted})["kept"]
        return kept

    def report(self) -> dict[str, Any]:
        """What became of the present tile; see ``tilelab.vendor.serve.fresh``."""
        return self._ask({"report": True})

    def close(self) -> None:
        """End the process; nothing stays."""
        self._process.communicate()
