"""python -m attendo."""

from attendo.cli.main import main

if __name__ == "__main__":
    main()
