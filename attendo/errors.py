"""What can go wrong, said in one sentence: what was found, what was expected, where to look.

The command line prints the sentence and exits with the error's code; nothing here imports anything.
"""


class AttendoError(Exception):
    """Anything the user can mend. Its text is complete without a traceback."""

    exit_code = 1


class ConfigError(AttendoError):
    """A model, recipe or option that cannot be: a wrong size, an unknown name, a value out of range."""


class DataError(AttendoError):
    """A file of text that cannot be read as what it should be; the file and the line are named."""


class InputError(AttendoError):
    """A tensor, text or file handed to a working machine that does not fit it."""


class WriteError(AttendoError):
    """A file that could not be written: a full disk, a folder that is not ours."""


class TrainingError(AttendoError):
    """A run that cannot go on; what it had learnt is in its last checkpoint."""


class UsageError(AttendoError):
    """The command was called in a way it does not understand."""

    exit_code = 2
