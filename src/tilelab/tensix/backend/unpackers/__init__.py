"""The two unpackers: L1 to SrcA, SrcB and Dst."""
