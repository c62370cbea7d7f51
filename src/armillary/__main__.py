"""`python -m armillary`: the command line."""

from armillary.cli import main

main()
