"""The cycle clock: the same state and kernels as the functional clock, and when each word moves."""
