"""The command line: what ``python -m situ`` and the ``situ`` script do."""
