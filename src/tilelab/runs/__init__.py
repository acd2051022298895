"""What can be run, and ways to run it: one target, many at once, with other constants.

``targets`` are what a user names, ``job`` is one of them as data for another process,
``processes`` and ``cluster`` run many, ``variants`` builds them with other constants, ``study`` is
all that as one call.
"""
