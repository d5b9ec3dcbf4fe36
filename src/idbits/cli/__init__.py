"""The command line: one file a command; parse, call a study, print."""
