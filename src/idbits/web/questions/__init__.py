"""The page "How identifying are these questions?": the questions to choose from, the links and the answers."""
