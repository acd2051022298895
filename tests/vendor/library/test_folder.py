"""Where the drop-in library is laid out."""

from pathlib import Path

from tilelab.tensix.arch import arch
from tilelab.vendor.library.folder import lay_out, one_tile


def test_another_simulators_library_is_not_written_through_a_link(tmp_path: Path) -> None:
    other = tmp_path / "vendor.so"
    other.write_bytes(b"the vendor's")
    (tmp_path / "sim").mkdir()
    (tmp_path / "sim" / "libttsim.so").symlink_to(other)
    library = lay_out(tmp_path / "sim", "blackhole", one_tile(arch("blackhole")))
    assert library == tmp_path.resolve() / "sim" / "libttsim.so"
    assert other.read_bytes() == b"the vendor's"
