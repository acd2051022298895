"""Stands in for the vendor's compiler: its command line, over the compilers that tilelab uses."""
