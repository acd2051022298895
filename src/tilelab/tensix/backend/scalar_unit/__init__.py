"""The Scalar Unit (ThCon): registers, atomics, loads and stores."""
