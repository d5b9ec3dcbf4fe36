"""Records who decided what about a report, and checks the records: the study behind ``idbits decide``."""
