"""A process that is forked to do some work: all is imported already, so it starts at once."""

import os
import sys
import warnings

FAILED = 99  # the exit code of one whose work ends in an error


def forked(work):
    """Its id. It ends with the code that the work returns, if it returns one, and never comes back into the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads, which only wait here
        process = os.fork()
    if process == 0:
        code = FAILED
        try:
            said = work()
            code = said if isinstance(said, int) else 0
        except BaseException as error:
            print(f"child: {error!r}", file=sys.stderr, flush=True)
        finally:
            os._exit(code)
    return process


def end_of(process):
    """Its exit code, once it has ended; negative for the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
