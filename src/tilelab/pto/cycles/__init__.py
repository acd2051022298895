"""How long PTO programs take: one pass over a run's trace, with figures that name their sources."""
