"""What can go wrong, said in one sentence: what was found, what was expected, where to look.

The command line prints the sentence and exits with the error's code; nothing here imports anything.
"""


class AttendoError(Exception):
    """Anything the user can mend. Its text is complete without a traceback.

    >>> try:
    ...     attendo.load("no/such/folder")
    ... except attendo.AttendoError as error:
    ...     print(error)
    there is no model folder no/such/folder: expected ...
    """

    exit_code = 1


class ConfigError(AttendoError):
    """A model, recipe or option that cannot be: a wrong size, an unknown name, a value out of range.

    >>> attendo.SearchOptions(beam_size=0)
    Traceback (most recent call last):
    attendo.errors.ConfigError: beam_size = 0: expected ...
    """


class DataError(AttendoError):
    """A file of text that cannot be read as what it should be; the file and the line are named.

    >>> attendo.Glossary.from_pairs({"": "nothing"})
    Traceback (most recent call last):
    attendo.errors.DataError: term 1: no term before the tab
    """


class InputError(AttendoError):
    """A tensor, text or file handed to a working machine that does not fit it.

    >>> attendo.load().translate("Bonjour", to="fr")
    Traceback (most recent call last):
    attendo.errors.InputError: this model does not translate into 'fr': it knows zh-en, en-zh, de-en, en-de
    """


class WriteError(AttendoError):
    """A file that could not be written: a full disk, a folder that is not ours.

    >>> issubclass(attendo.WriteError, attendo.AttendoError)
    True
    """


class TrainingError(AttendoError):
    """A run that cannot go on; what it had learnt is in its last checkpoint.

    >>> issubclass(attendo.TrainingError, attendo.AttendoError)
    True
    """


class UsageError(AttendoError):
    """A command or function was called in a way it does not understand.

    >>> attendo.evaluate()
    Traceback (most recent call last):
    attendo.errors.UsageError: expected a test set, and a model to translate it; or else hypotheses and references
    """

    exit_code = 2
