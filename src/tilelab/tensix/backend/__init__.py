"""The units that execute Tensix instructions."""
