"""`python -m idbits`: the command, where the folder of scripts is not on the path."""

from idbits.cli.main import main

if __name__ == "__main__":
    main()
