"""How far the cycle clock is from silicon: published figures, and the same programs on a tile."""
