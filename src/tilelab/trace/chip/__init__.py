"""What all tiles of a chip did: recorded under the cycle clock, drawn as a page, as a trace."""
