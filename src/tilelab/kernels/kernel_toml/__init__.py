"""kernel.toml: what a kernel consists of, where its data goes and what it must give."""
