"""What the commands are called and take: their names, options and help, and nothing that they do.

What a command does is imported when it is called, so that help and completion are quick.
"""
