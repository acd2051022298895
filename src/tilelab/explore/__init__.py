"""The race explorer: runs a program under many schedules and compares what comes out."""
