"""The machines' errors are of one family: one handler catches a mistake of any of them."""

import pickle

import pytest

import tilelab.pto
import tilelab.pto.errors
import tilelab.tilext
import tilelab.tilext.errors
from tilelab.pto import Cluster, Direction, Tile, TileType, TPipe
from tilelab.pto.errors import IRError, OverrunHazard
from tilelab.pto.ir import parse
from tilelab.sim.errors import (
    BadInputError,
    DeadlockError,
    MissingSpecificationError,
    SourceError,
    TilelabError,
)
from tilelab.tilext import (
    MissingSpecification,
    Parameters,
    TileCore,
    assemble_text,
    load_profile,
    run_threads,
)

PIPE = TPipe(0, Direction.DIR_C2V, 1024, 4)
MOVED = [
    (tilelab.pto, "PtoError", TilelabError),
    (tilelab.pto.errors, "PtoError", TilelabError),
    (tilelab.pto.errors, "BadInput", BadInputError),
    (tilelab.tilext, "TilextError", TilelabError),
    (tilelab.tilext.errors, "TilextError", TilelabError),
    (tilelab.tilext.errors, "BadInput", BadInputError),
]


@pytest.mark.parametrize(("module", "name", "now"), MOVED)
def test_an_old_name_works_and_says_where_it_is_now(module, name, now):
    said = rf"{module.__name__}\.{name} is tilelab\.sim\.errors\.{now.__name__} now"
    with pytest.warns(DeprecationWarning, match=said):
        assert getattr(module, name) is now


def test_a_name_that_never_was_is_no_attribute():
    with pytest.raises(AttributeError, match="no attribute 'PtoErrors'"):
        _ = tilelab.pto.errors.PtoErrors


def lone_pop():
    def vec(core):
        pipe = core.open(PIPE, 0, 0x8000)
        yield from pipe.tpop(Tile(TileType.Vec, "float32", 8, 32))

    Cluster().run(None, vec)


def two_that_wait():
    texts = [f"t_sync.imm nonblk, imm=3, sync_id={n}, scope=0" for n in (1, 2)]
    cores = [TileCore(Parameters(128, 32, 256), thread=number) for number in (0, 1)]
    run_threads(cores, texts)


@pytest.mark.parametrize("run", [lone_pop, two_that_wait])
def test_one_handler_catches_a_deadlock_of_any_machine(run):
    with pytest.raises(DeadlockError, match="deadlock"):
        run()


@pytest.mark.parametrize("given", [lambda: Cluster("a7"), lambda: load_profile("misprinted")])
def test_one_handler_catches_bad_input_of_any_machine(given):
    with pytest.raises(BadInputError) as error:
        given()
    assert error.value.exit_code == 2


@pytest.mark.parametrize("read", [lambda: parse("module {\n@ }"), lambda: assemble_text("\nfrob")])
def test_a_line_that_means_nothing_is_numbered_by_any_machine(read):
    with pytest.raises(SourceError, match="line 2: ") as error:
        read()
    assert error.value.line == 2


def test_an_error_comes_whole_from_another_process():
    with pytest.raises(DeadlockError) as deadlock:
        lone_pop()
    missing = MissingSpecification("broadcast", "here")
    hazard = OverrunHazard("over", "detail", None)
    for error in (deadlock.value, missing, hazard, IRError("what", 3)):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert (str(again), again.code, vars(again)) == (str(error), error.code, vars(error))
    assert isinstance(missing, MissingSpecificationError)
    assert deadlock.value.code == "E9"
