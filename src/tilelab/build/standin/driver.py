"""The stand-in's own main: compiles and links as a command line of the vendor's compiler asks."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import tilelab
from tilelab.build.line_rows import with_rows
from tilelab.build.standin import dialect
from tilelab.build.standin.backends import (
    BACKENDS,
    Backend,
    atomics,
    run,
)
from tilelab.build.standin.command import Command, Input, read_command
from tilelab.build.standin.foreign import rebuilding
from tilelab.build.standin.objects import (
    defined,
    is_foreign,
    read_object,
    undefined,
    without_void_relocations,
)
from tilelab.build.standin.scalars import without_float_registers
from tilelab.build.vector import complete, with_replays, without_outermost_pushes
from tilelab.build.vector.code import FloatError, VectorError
from tilelab.build.vector.text import BYTES, MARK
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import folder_meanwhile, telling

DATA = """\
\t.section\t.data,"aw",@progbits
\t.globl\t__tilelab_data
\t.balign\t4
__tilelab_data:
\t.word\t0
"""
"""tt-metal's loader looks for the segment of a kernel's data, even where there are none."""


CALLS = "TILELAB_COMPILER_CALLS"
"""Environment variable: a file that every call's words are appended to, a JSON array a line."""
TOO_LONG = "will not fit in region"
"""What the linker says of code for which a script has too little memory."""
AS_LOOPS = "-fno-unroll-loops"


class CommandFailedError(BadInputError):
    """One of the compiler's own commands has failed, and has said why."""


class TooLongError(CommandFailedError):
    """The code does not fit where it is to lie."""


class Driver:
    """One call of the compiler."""

    def __init__(
        self,
        backend: Backend,
        command: Command,
        folder: Path,
        say: Callable[[str], object] | None = None,
    ) -> None:
        """``say`` is told what the compiler's own commands say, instead of stderr."""
        self.backend = backend
        self.say = say or sys.stderr.write
        self.command = command
        self.folder = folder
        self.rolled = False
        self.given: dict[str, str] = {}
        """Sources, preprocessed: stdin can be read once."""

    def run(self) -> None:
        """Do all that is asked for."""
        command = self.command
        if not command.inputs:
            raise BadInputError("no input files")
        if not command.chip:
            raise BadInputError("-mcpu=tt-… is missing: which chip is it for?")
        if command.precompiles:
            _put("", command.output)  # whoever includes the header will read its text
        elif command.stage == "program":
            self._program()
        else:
            self._each_source()

    def _program(self) -> None:
        """Compile and link; again with loops that are not unrolled if the code is too long.

        With ``-fno-unroll-loops`` no loop is, though its source asks for it, where that will do.

        Clang makes more of a loop's unrolled code than the vendor's compiler, as it takes no
        arguments that are always the same out of functions that others might call.
        """
        said = ""
        as_loops = AS_LOOPS in self.command.code
        for self.rolled in (as_loops, not as_loops):
            try:
                self._link([self._object(i, each) for i, each in enumerate(self.command.inputs)])
                return
            except TooLongError as error:
                said = said or error.summary
            except (CommandFailedError, VectorError):
                if not self.rolled:
                    raise  # else its loops have to be unrolled
        self.say(said)
        raise CommandFailedError("")

    def _each_source(self) -> None:
        command = self.command
        for i, source in enumerate(command.sources):
            out = command.target(source)
            if command.stage == "preprocess":
                _put(self.preprocessed(source, out), out)
            elif command.stage == "object":
                shutil.copyfile(self._object(i, source), out)
            else:
                text = "\n".join(self._assembly(i, source)) + "\n"
                _put(text if command.stage == "assembly" else "", out)

    def _said(self, words: list[str], text: str | None = None) -> str:
        done = run(words, text)
        if done.returncode and TOO_LONG in done.stderr:
            raise TooLongError(done.stderr)
        if done.stderr and not self.rolled:  # then it has been said
            self.say(done.stderr)
        if done.returncode:
            raise CommandFailedError("")
        return done.stdout

    def _text(self, source: Input) -> str:
        if source.path == "-":
            return sys.stdin.read()
        with telling(source.path):
            return Path(source.path).read_text(encoding=BYTES)

    def preprocessed(self, source: Input, out: str) -> str:
        """A source, preprocessed; ``out`` is what a rule of dependencies would name."""
        kind = "c++" if source.language.startswith("c++") else source.language
        if source.language.endswith("cpp-output"):
            return self._text(source)
        if source.path not in self.given:
            words = self.backend.preprocessing(self.command, kind)
            words += self._dependencies(out)
            text = sys.stdin.read() if source.path == "-" else None
            self.given[source.path] = self._said([*words, source.path], text)
        return self.given[source.path]

    def _dependencies(self, out: str) -> list[str]:
        """Options for a rule that names what the source includes, and what it makes."""
        given = self.command.dependencies
        if not given or given[0] in ("-M", "-MM"):
            return given
        words = list(given)
        if "-MF" not in words:
            words += ["-MF", str(Path(out).with_suffix(".d"))]
        if "-MT" not in words and "-MQ" not in words:
            words += ["-MT", out]
        return words

    def _assembly(self, number: int, source: Input) -> list[str]:
        if source.language == "assembler":
            return dialect.words(self._text(source).splitlines())
        out = self.command.target(source) or "a.out"
        text = self.preprocessed(source, out)
        if source.language == "assembler-with-cpp":
            return dialect.words(text.splitlines())
        kind = "c" if source.language in ("c", "cpp-output") else "c++"
        text, bare = self.backend.adapted(text)
        text = dialect.rolled(text) if self.rolled else text
        preprocessed = self.folder / f"{number}.ii"
        preprocessed.write_text(text, encoding="utf-8")
        if MARK in text and self.command.tensix:
            lines = self._with_vectors(preprocessed, kind)
        else:
            lines = self._compiled(preprocessed, kind, False, False).splitlines()
        return dialect.bare(list(with_rows(dialect.words(lines))), bare)

    def _with_vectors(self, preprocessed: Path, kind: str) -> list[str]:
        """Assembly whose vectors have their LRegs.

        A function that is given a vector has to be inlined, however long it is: the compiler is
        told so only where it has not done it by itself, for code is short of room. Floating-point
        numbers of the core's own are left to the library where a source has any.
        """
        inline = scalars = False
        while True:
            compile_ = self._without_floats if scalars else self._compiled
            text = compile_(preprocessed, kind, True, inline)
            try:
                text = complete(text, self.command.chip, None)
                text = without_outermost_pushes(text, self.command.chip)
                if self.command.replays:
                    text = with_replays(text, self.command.chip)
                return text.splitlines()
            except FloatError:
                able = bool(self.backend.intermediate(self.command, kind))
                if inline and scalars == able:
                    raise
                inline, scalars = inline or scalars == able, able
            except VectorError:
                if inline:
                    raise
                inline = True

    def _compiled(self, preprocessed: Path, kind: str, vectors: bool, inline: bool) -> str:
        """The compiler's own assembly."""
        out = preprocessed.with_suffix(".s")
        words = self.backend.compiling(self.command, kind, vectors)
        words += self.backend.INLINING if inline else ()
        self._said([*words, str(preprocessed), "-o", str(out)])
        return out.read_text(encoding=BYTES)

    def _without_floats(self, preprocessed: Path, kind: str, vectors: bool, inline: bool) -> str:
        """The same, in which only vectors are in floating-point registers."""
        module, out = preprocessed.with_suffix(".ll"), preprocessed.with_suffix(".s")
        words = self.backend.intermediate(self.command, kind)
        words += self.backend.INLINING if inline else ()
        self._said([*words, str(preprocessed), "-o", str(module)])
        text = without_float_registers(module.read_text(encoding="utf-8"))
        module.write_text(text, encoding="utf-8")
        self._said([*self.backend.finishing(self.command), str(module), "-o", str(out)])
        return out.read_text(encoding=BYTES)

    def _object(self, number: int, source: Input) -> Path:
        if not source.language:
            path = Path(source.path)
            return self._rebuilt(number, path) if is_foreign(read_object(path)) else path
        return self._assembled(str(number), "\n".join(self._assembly(number, source)) + "\n")

    def _assembled(self, name: str, text: str) -> Path:
        assembly, out = self.folder / f"{name}-whole.s", self.folder / f"{name}.o"
        assembly.write_text(text, encoding=BYTES)
        self._said([*self.backend.assembling(self.command), str(assembly), "-o", str(out)])
        return out

    def _rebuilt(self, number: int, path: Path) -> Path:
        command, source = rebuilding(path, self.command.chip)
        return Driver(self.backend, command, self.folder, self.say)._object(number, source)

    def _link(self, objects: list[Path]) -> None:
        missing: set[str] = set()
        for elf in (given := [read_object(path) for path in objects]):
            missing |= undefined(elf)
        missing = missing.difference(*map(defined, given))
        out = self.command.output or "a.out"
        loaded = bool({"--emit-relocs", "-q"} & set(self.command.linking))
        if loaded:
            objects = [*objects, self._assembled("data", DATA)]
        if any(name.startswith("__atomic") for name in missing):
            objects = [*objects, self._assembled("atomics", atomics(self.command.chip))]
        words = [*self.backend.linking(self.command), *self.command.linking, *map(str, objects)]
        words += ["--gc-sections"] if self.command.whole_program else []
        words += ["-u", "__tilelab_data"] if loaded else []
        words += self.backend.runtime(self.command, missing, self.folder)
        sys.stdout.write(self._said([*words, "-o", out]))
        if loaded:
            Path(out).write_bytes(without_void_relocations(read_object(Path(out))))


def _put(text: str, out: str) -> None:
    if out:
        Path(out).write_text(text, encoding=BYTES, errors="replace")
    else:
        sys.stdout.write(text)


def answer(question: str, backend: Backend) -> str:
    """What the compiler says of itself."""
    if question == "--version":
        return f"riscv-tt-elf-g++ (tilelab {tilelab.__version__}) {backend.version()}"
    if question == "-dumpmachine":
        return "riscv-tt-elf"
    if question == "-dumpversion":
        return "15.1.0"
    raise BadInputError(f"{question}: not known here")


def main(compiler: str) -> int:
    """Run with the process's arguments over a compiler of :data:`BACKENDS`; the exit code."""
    backend = BACKENDS[compiler]()
    if listed := os.environ.get(CALLS):
        with open(listed, "a", encoding="utf-8") as calls:  # one write: others append as well
            calls.write(json.dumps(sys.argv[1:]) + "\n")
    try:
        command = read_command(sys.argv[1:])
        if command.question:
            print(answer(command.question, backend))
            return 0
        with folder_meanwhile("tilelab-") as folder:
            Driver(backend, command, folder).run()
    except CommandFailedError:
        return 1
    except KeyboardInterrupt:
        return 130
    except BadInputError as error:
        print(f"riscv-tt-elf-g++: error: {error}", file=sys.stderr)
        if error.detail:
            print(error.detail, file=sys.stderr)
        return 1
    return 0
