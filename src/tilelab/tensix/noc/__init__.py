"""A tile's side of the NoC: its two interfaces (NIUs) and the counters of its streams."""
