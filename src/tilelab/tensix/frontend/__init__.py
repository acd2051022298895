"""What each Tensix thread has before the shared units: FIFO, expanders, wait gate."""
