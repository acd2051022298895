"""Tests of the Tile Extension; a package, so that their names may be those of other tests."""
