"""Files and folders that are there whole or not at all, whatever happens while they are written.

A name is given last: written beside under another name, forced to the disk, renamed. A process that dies on the way
leaves an unfinished file that nobody takes for the real one; `sweep` removes it.
"""

import ctypes
import errno
import hashlib
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from attendo.errors import WriteError

UNFINISHED = ".unfinished-"


def write_file(path: Path, data: bytes) -> None:
    """Replace a file's content; a reader sees the old or the new, never a part.

    A device or a pipe is written into: a file that took its name would be the end of it, and for root of /dev/null.
    """
    descriptor = None
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_bytes(data)
            return
        descriptor, name = tempfile.mkstemp(prefix=f"{mark()}{os.getpid()}-", dir=path.parent)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o666 & ~current_umask())  # noqa: PTH101 - a temporary file is for its owner alone
        os.replace(name, path)  # noqa: PTH105
        sync_folder(path.parent)
    except OSError as error:
        if descriptor is not None:
            Path(name).unlink(missing_ok=True)
        raise cannot_write(path, error) from error


@contextmanager
def new_folder(path: Path, needs: int = 0, *, replace: bool = False, shared: bool = False) -> Iterator[Path]:
    """A folder to fill. It gets its name when the block ends well; if the block fails, nothing of it remains.

    `needs` is about how many bytes will be written, for the message when there is no room for them. Where the name is
    taken, FileExistsError; with `replace`, the folder of that name is taken away as the new one comes. The folder is
    for its owner alone, unless it is `shared`: then whoever may read the user's other files may read it.
    """
    try:
        unfinished = Path(tempfile.mkdtemp(prefix=f"{mark()}{os.getpid()}-", dir=path.parent))
    except OSError as error:
        raise cannot_write(path, error, needs) from error
    try:
        yield unfinished
        if shared:
            let_others_read(unfinished)
        for path_inside in sorted(unfinished.iterdir()):
            with path_inside.open("rb") as file:
                os.fsync(file.fileno())
        sync_folder(unfinished)
        give_name(unfinished, path, replace=replace)
        sync_folder(path.parent)
    except FileExistsError:
        raise
    except OSError as error:
        raise cannot_write(path, error, needs) from error
    except WriteError as error:  # of a file inside: people know the folder by the name it was to have
        raise WriteError(str(error).replace(str(unfinished), str(path))) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def let_others_read(folder: Path) -> None:
    mask = current_umask()
    for file in folder.iterdir():
        file.chmod(0o666 & ~mask)
    folder.chmod(0o777 & ~mask)


def give_name(unfinished: Path, path: Path, *, replace: bool) -> None:
    """With `replace`, what was there before has the unfinished name afterwards."""
    taken = FileExistsError(f"{path} is already there")
    if path.exists() and not replace:
        raise taken
    try:
        unfinished.rename(path)  # in place of an empty folder too
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
            raise
        if not replace:
            raise taken from error
        if not exchange(unfinished, path):
            exchange_in_steps(unfinished, path)


def exchange(one: Path, other: Path) -> bool:
    """Two names change places in one instant, so that there is no moment without either. Linux can, mostly."""
    if sys.platform != "linux":
        return False
    here, swap = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    try:
        rename = ctypes.CDLL(None).renameat2
    except AttributeError:  # an old C library
        return False
    return rename(here, os.fsencode(one), here, os.fsencode(other), swap) == 0


def exchange_in_steps(one: Path, other: Path) -> None:
    """For systems that know no better. A process that dies on the way leaves the other under a name no sweep takes."""
    middle = other.with_name(f"{other.name}.old-{os.getpid()}")
    other.rename(middle)
    try:
        one.rename(other)
    except OSError:
        middle.rename(other)
        raise
    middle.rename(one)


def cannot_write(path: Path, error: OSError, needs: int = 0) -> WriteError:
    """With the room there is beside the room it takes, where that is likely to be the reason."""
    sentence = f"cannot write {path}: {error.strerror or error}"
    if needs:
        with suppress(OSError):  # the folder itself may be what is missing; then the sentence says so already
            sentence += f" ({needs:,} bytes needed, {shutil.disk_usage(path.parent).free:,} free)"
    return WriteError(sentence)


def sync_folder(path: Path) -> None:
    """A new name is itself data, in its folder. Windows cannot open a folder and needs no such call."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def mark() -> str:
    """How unfinished names made on this machine begin; a folder may be shared with other machines."""
    machine = hashlib.sha256(platform.node().encode()).hexdigest()[:8]
    return f"{UNFINISHED}{machine}-"


def sweep(folder: Path, *, ours_alone: bool = False) -> list[Path]:
    """Remove what killed writers left behind, and name it.

    A name tells the process that was writing; another that lives is left alone, unless the folder is `ours_alone`.
    """
    removed = []
    for leftover in sorted(folder.glob(f"{UNFINISHED if ours_alone else mark()}*")):
        process = leftover.name.removeprefix(mark()).split("-")[0]
        gone = process.isdigit() and Path("/proc").exists() and not Path(f"/proc/{process}").exists()
        if not (gone or ours_alone):
            continue
        if leftover.is_dir():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            with suppress(OSError):  # in a folder for all, it may be another user's
                leftover.unlink()
        if not leftover.exists():
            removed.append(leftover)
    return removed


def lock(descriptor: int) -> bool:
    """Whether this process has the open file for itself now; the lock goes with the process, however it ends."""
    if os.name == "nt":
        return True  # Windows has no flock; there, two runs at once are the user's to avoid
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # some network disks have no locks
    return True
