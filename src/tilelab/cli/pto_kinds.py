"""``tilelab pto explore``: the kind of file says what is explored, where nobody does."""

from typing import Any

import typer
from typer.core import TyperGroup

from tilelab.sim.errors import BadInputError

SOURCES = (".cpp", ".cc", ".cxx", ".c++")
"""As ``tilelab.pto.native.build.SOURCES``."""
PROTOCOLS = ("seed", "tagged", "held", "sparse", "sparse_fixed")
"""As ``tilelab.pto.protocol.PROTOCOLS``."""


def protocols(incomplete: str) -> list[str]:
    """Names of protocols, for a shell that completes one."""
    return [name for name in (*PROTOCOLS, "rendezvous") if name.startswith(incomplete)]


class ByKind(TyperGroup):
    """Commands by what they explore; where none is named, the kind of file says which is meant."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the command's name before the rest."""
        if not args or args[0] not in (*self.commands, *ctx.help_option_names):
            program = any(word == "-" or word.endswith((".py", ".pto")) for word in args)
            kernel = any(word.endswith(SOURCES) for word in args)
            args = ["kernel" if kernel else "program" if program else "pipe", *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run it; an option that only others of these commands have is told as theirs."""
        try:
            return super().invoke(ctx)
        except typer.TyperException as error:
            option = getattr(error, "option_name", None)
            of = [name for name, one in self.commands.items() if _has(one, option)]
            if not of:
                raise
            raise BadInputError(f"{option} is for tilelab pto explore {' and '.join(of)}") from None


def _has(command: Any, option: str | None) -> bool:
    return any(option in parameter.opts for parameter in command.params)
