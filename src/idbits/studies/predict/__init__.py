"""How many people will be unique, before any data are collected."""
