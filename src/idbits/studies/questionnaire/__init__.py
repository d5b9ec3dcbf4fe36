"""How anonymous the answers to a questionnaire are."""
