"""A one-page report for decision makers."""
