"""The local server: the pages of the app and the JSON interface of the repository, on loopback."""
