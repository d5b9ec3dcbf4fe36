"""The local server: the JSON interface of the repository and the pages of the app, on loopback."""
