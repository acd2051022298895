"""Reads a command line of the vendor's compiler, which is GCC's with options of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from tilelab.sim.errors import BadInputError

CHIPS = {"bh": "blackhole", "wh": "wormhole"}
_WITH_VALUE = ("-I", "-D", "-U", "-include", "-isystem", "-iquote", "-idirafter", "-imacros")
_DEPENDENCIES = ("-M", "-MM", "-MD", "-MMD", "-MP", "-MG")
_DEPENDENCIES_WITH_VALUE = ("-MF", "-MT", "-MQ")
_LINKING_WITH_VALUE = ("-T", "-L", "-l", "-u", "-z", "-e")
_LIBRARIES = ("-lc", "-lgcc", "-lm", "-lstdc++")
_FOREIGN = (
    # the vendor's own: what they ask for is done anyway, or needed by its hardware alone
    *("-ftt-", "-mno-tt", "-mtt", "-fno-rvtt", "-mno-rvtt"),
    # ours is assembled from text, and other compilers warn of other things
    *("-flto", "-fno-lto", "-fuse-linker-plugin", "-fno-fat-lto", "-ffat-lto", "-W", "-w"),
    *("-pedantic", "-fpermissive", "-pipe", "-save-temps", "-fdump-", "-fdiagnostics", "-v"),
    *(
        "--param=",
        "-nostdlib",
        "-nostartfiles",
        "-nodefaultlibs",
        "-ffunction-sections",
        "-fdata-sections",
    ),
)
_WITHOUT_REPLAYS = ("-mno-tt-tensix-optimize-replay", "-fno-rvtt-sfpu-replay")
"""Keep the replay buffer for the source itself."""
_LANGUAGES = {
    # as g++ has it, C is C++ as well
    **dict.fromkeys((".cpp", ".cc", ".cxx", ".C", ".c++", ".c"), "c++"),
    **{".S": "assembler-with-cpp", ".s": "assembler", ".ii": "c++-cpp-output"},
}
STAGES = {"-E": "preprocess", "-S": "assembly", "-c": "object", "-fsyntax-only": "syntax"}


@dataclass(frozen=True)
class Input:
    """A file to compile or link, ``-`` for standard input; ``language`` "" for the linker's."""

    path: str
    language: str


@dataclass
class Command:
    """What a command line asks for. Lists keep its order and spelling."""

    chip: str = ""
    tensix: bool = False
    stage: str = "program"
    output: str = ""
    inputs: list[Input] = field(default_factory=list)
    preprocessing: list[str] = field(default_factory=list)
    dependencies: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    linking: list[str] = field(default_factory=list)
    """For the linker itself."""
    whole_program: bool = False
    """Whether what nothing uses is to be left out, as optimising the whole program would."""
    replays: bool = True
    """Whether repeated vector code may use the replay buffer."""
    question: str = ""
    """An option that asks for something about the compiler, as ``--version``."""

    @property
    def sources(self) -> list[Input]:
        """The inputs that are compiled."""
        return [each for each in self.inputs if each.language]

    @property
    def precompiles(self) -> bool:
        """Whether a header is to be compiled ahead of its use."""
        return any(each.language.endswith("-header") for each in self.inputs)

    def target(self, source: Input) -> str:
        """Where the result of one source goes; "" for standard output."""
        if self.output:
            return "" if self.output == "-" else self.output
        suffix = {"object": ".o", "assembly": ".s"}.get(self.stage)
        return str(PurePath(PurePath(source.path).name).with_suffix(suffix)) if suffix else ""


def read_command(words: Sequence[str]) -> Command:
    """Read the words after the command's name; BadInputError for what is not understood."""
    command = Command()
    language = ""
    rest = iter(_spread(words))
    for word in rest:
        if word == "-x":
            language = _value(rest, word).replace("none", "")
        elif word == "-o":
            command.output = _value(rest, word)
        elif word.startswith("-mcpu="):
            _processor(command, word)
        elif word in STAGES:
            command.stage = STAGES[word]
        elif word == "-" or not word.startswith("-"):
            command.inputs.append(
                Input(word, language or _LANGUAGES.get(PurePath(word).suffix, ""))
            )
        else:
            _option(command, word, rest)
    return command


def _spread(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        if word.startswith("@") and PurePath(word[1:]).name:
            raise BadInputError(f"{word}: files of options are not read")
        yield word


def _value(rest: Iterator[str], word: str) -> str:
    value = next(rest, None)
    if value is None:
        raise BadInputError(f"{word}: nothing follows")
    return value


def _processor(command: Command, word: str) -> None:
    name = word.removeprefix("-mcpu=tt-")
    chip, _, unit = name.partition("-")
    if name == word or chip not in CHIPS or unit not in ("", "tensix"):
        known = ", ".join(f"tt-{c}{u}" for c in CHIPS for u in ("", "-tensix"))
        raise BadInputError(f"{word}: not one of {known}")
    command.chip, command.tensix = CHIPS[chip], bool(unit)


def _option(command: Command, word: str, rest: Iterator[str]) -> None:
    if word in _DEPENDENCIES:
        command.dependencies.append(word)
        if word in ("-M", "-MM"):
            command.stage = "preprocess"
    elif word in _DEPENDENCIES_WITH_VALUE:
        command.dependencies += [word, _value(rest, word)]
    elif word in _WITH_VALUE:
        command.preprocessing += [word, _value(rest, word)]
    elif word.startswith(("-I", "-D", "-U", "-isystem", "-iquote")):
        command.preprocessing.append(word)
    elif word == "--param":
        _value(rest, word)
    elif word.startswith("-Wl,"):
        command.linking += word.split(",")[1:]
    elif word == "-Xlinker":
        command.linking.append(_value(rest, word))
    elif word in _LIBRARIES or word.startswith("--specs="):
        pass  # the driver links its own
    elif word in _LINKING_WITH_VALUE:
        command.linking += [word, _value(rest, word)]
    elif word.startswith(("-T", "-L", "-l", "-u", "-z")):
        command.linking.append(word)
    elif word.startswith("-print-") or word in ("--version", "-dumpversion", "-dumpmachine"):
        command.question = word
    elif word.startswith(_FOREIGN):
        command.whole_program |= word.startswith("-flto")
        command.replays &= word not in _WITHOUT_REPLAYS
    elif word.startswith(("-O", "-g", "-std=", "-f", "-m")):
        command.code.append(word)
    else:
        raise BadInputError(f"{word}: this option is not understood")
