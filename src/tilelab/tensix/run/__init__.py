"""What makes a tile go: rounds of the clock, batches, and the two engines that run them."""
