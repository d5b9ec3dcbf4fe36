"""The page "How identifying are these questions?": the questions to pick from, what a link asks, and the answer."""
