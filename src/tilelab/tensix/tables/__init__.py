"""Facts about the Tensix chips: instructions, configuration registers, addresses."""
