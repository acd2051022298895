"""Several chips as one mesh: ``ttnn_mesh.py CHIPS CASE...``; exit 1 if a result is not NumPy's.

A case is an operation of ``ttnn`` on a tensor of 32 x 64 whole numbers on each chip.
"""

import sys

import numpy as np
import ttnn

COLUMNS = 64
SUMS = ("add", "mlp", "reduce_scatter", "all_reduce")
"""Operations that add: in bfloat16, which the matrix unit adds; whole numbers are exact."""


def main(chips: int, cases: list[str]) -> int:
    """Run cases; how many are wrong."""
    if set(cases) - {"add", "mlp"}:
        ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_1D)
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, chips))
    wrong = sum(not right(mesh, chips, case) for case in cases)
    ttnn.close_mesh_device(mesh)
    return wrong


def right(mesh, chips: int, case: str) -> bool:
    """Run a case; whether every chip has what NumPy has."""
    kind = ttnn.bfloat16 if case in SUMS else ttnn.float32
    whole = np.random.default_rng(1).integers(-9, 9, (1, 1, 32, chips * COLUMNS))
    whole = whole.astype(np.float32)
    parts = np.split(whole, chips, 3)
    made, expected = CASES[case](mesh, sharded(mesh, whole, kind), parts)
    found = [back(one) for one in ttnn.get_device_tensors(made.cpu())]
    same = [
        wanted is None or np.array_equal(one, wanted)
        for one, wanted in zip(found, expected, strict=True)
    ]
    print(case, "equal" if all(same) else f"differs on chips {same}", flush=True)
    return all(same)


def sharded(mesh, values: np.ndarray, kind, dim: int = 3):
    """One part of the values on each chip."""
    placed = [ttnn.PlacementReplicate(), ttnn.PlacementShard(dim)]
    mapper = ttnn.create_mesh_mapper(mesh, ttnn.MeshMapperConfig(placed))
    host = ttnn.to_dtype(ttnn.Tensor(values, ttnn.float32), kind)
    return ttnn.distribute_tensor(host.to(ttnn.TILE_LAYOUT), mapper, mesh)


def back(tensor) -> np.ndarray:
    """What a chip's tensor holds."""
    return ttnn.to_dtype(tensor.to(ttnn.ROW_MAJOR_LAYOUT), ttnn.float32).to_numpy()


def add(mesh, x, parts):
    """No traffic between chips."""
    return ttnn.add(x, x), [2 * part for part in parts]


def mlp(mesh, x, parts):
    """Two products on each chip, of its own columns: whole numbers, exact in bfloat16."""
    weights = np.zeros((1, 1, COLUMNS, COLUMNS * len(parts)), np.float32)
    weights[..., :COLUMNS] = np.eye(COLUMNS)[::-1]
    for number in range(1, len(parts)):
        weights[..., COLUMNS * number : COLUMNS * (number + 1)] = np.eye(COLUMNS)
    w = sharded(mesh, weights, ttnn.bfloat16)
    each = np.split(weights, len(parts), 3)
    return ttnn.matmul(ttnn.matmul(x, w), w), [
        part @ own @ own for part, own in zip(parts, each, strict=True)
    ]


def all_gather(mesh, x, parts):
    """Every chip has all of it."""
    return ttnn.all_gather(x, dim=3), [np.concatenate(parts, 3)] * len(parts)


def reduce_scatter(mesh, x, parts):
    """Every chip has its part of the sum."""
    return ttnn.reduce_scatter(x, dim=3), np.split(sum(parts), len(parts), 3)


def all_reduce(mesh, x, parts):
    """Every chip has the sum."""
    return ttnn.all_reduce(x), [sum(parts)] * len(parts)


def point_to_point(mesh, x, parts):
    """The second chip has what the first one had."""
    ends = ttnn.MeshCoordinate(0, 0), ttnn.MeshCoordinate(0, 1)
    moved = ttnn.point_to_point(x, *ends, topology=ttnn.Topology.Linear)
    return moved, [None, parts[0], *[None] * (len(parts) - 2)]


def broadcast(mesh, x, parts):
    """Every chip has what the second one had."""
    made = ttnn.broadcast(x, ttnn.MeshCoordinate(0, 1), topology=ttnn.Topology.Linear)
    return made, [parts[1]] * len(parts)


CASES = {
    made.__name__: made
    for made in (add, mlp, all_gather, reduce_scatter, all_reduce, point_to_point, broadcast)
}

if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
