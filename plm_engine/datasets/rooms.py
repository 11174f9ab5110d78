"""Where large arrays lie: in memory, or in mapped files whose pages the system writes out and takes back when it needs.

An array in a mapped file is used like any other; it does not count as memory that the process holds on to (anonymous
memory), so a table may be larger than what is free.  A file has no name from the moment it is mapped: it is gone when
its last array is, also after a kill.  Every file's room on the disk is taken at once, or writing to it later could end
the process without a word on a full disk.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: numbers that are worked on at once where an array is gone through in parts
PART = 1_000_000
#: matrix products may round by memory alignment: arrays begin at multiples of this many bytes, as torch's do
ALIGNED_BYTES = 64


def parts(n_rows: int, n_columns: int) -> Iterator[tuple[int, int]]:
    """Yield bounds (a, b) of parts of :data:`PART` numbers; one part only of a table that is not larger."""
    step = max(1, PART // max(1, n_columns))
    for a in range(0, n_rows, step):
        yield a, min(a + step, n_rows)


class Room:
    """Memory: the ordinary place for arrays."""

    on_disk = False

    def empty(self, shape: tuple[int, ...], dtype: Any = np.float64, order: Any = "C") -> NDArray[Any]:
        """Return a new array that holds anything."""
        return np.empty(shape, dtype, order)

    def file(self, size: int) -> MappedFile | None:
        """Return so many bytes in a file that can be shared with other processes; None where there is none."""
        return None

    def taken(self, x: NDArray[Any], positions: NDArray[np.intp], dtype: Any = None) -> NDArray[Any]:
        """Return a copy of some rows of ``x``, with numbers of another kind if asked."""
        return x[positions].astype(dtype or x.dtype, copy=False)


class DiskRoom(Room):
    """Mapped files in a folder.

    Parameters
    ----------
    folder : Path or None
        The system's folder for temporary files if not given; a folder in memory (tmpfs) would save nothing.
    """

    on_disk = True

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = Path(tempfile.gettempdir()) if folder is None else folder

    def empty(self, shape: tuple[int, ...], dtype: Any = np.float64, order: Any = "C") -> NDArray[Any]:
        """Return a new array of zeros in a file of its own."""
        dtype = np.dtype(dtype)
        file = self.file(math.prod(shape) * dtype.itemsize)
        return np.empty(shape, dtype, order) if file is None else file.array.view(dtype).reshape(shape, order=order)

    def file(self, size: int) -> MappedFile | None:
        """Return so many bytes in a file; None for none at all."""
        return MappedFile(self.folder, size) if size else None

    def taken(self, x: NDArray[Any], positions: NDArray[np.intp], dtype: Any = None) -> NDArray[Any]:
        """Return a copy of some rows of ``x``, made part by part."""
        rows = self.empty((len(positions), *x.shape[1:]), dtype or x.dtype)
        for a, b in parts(len(positions), x[:1].size):
            rows[a:b] = x[positions[a:b]]
        return rows


#: arrays lie in memory
MEMORY = Room()


class MappedFile:
    """A file without a name, mapped.

    Attributes
    ----------
    array : ndarray of uint8
        Its bytes.  The file lasts as long as this array, or one made from it, whatever becomes of this object.
    fd : int
        Open as long as this object; another process that is given it can map the file too.
    """

    def __init__(self, folder: Path, size: int) -> None:
        self.fd, name = tempfile.mkstemp(prefix=".rows-", dir=folder)
        os.unlink(name)
        try:
            _take_room(self.fd, size)
            self.array = mapped(self.fd, size)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file; the mapping stays."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def __del__(self) -> None:
        with contextlib.suppress(OSError):
            self.close()


def mapped(fd: int, size: int) -> NDArray[np.uint8]:
    """Return the first ``size`` bytes of an open file as an array that lies in it."""
    return np.frombuffer(mmap.mmap(fd, size), dtype=np.uint8)


def _take_room(fd: int, size: int) -> None:
    """Make the file so large, with its blocks on the disk; an ``OSError`` says that there is no room."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(fd, 0, size)
        return
    zeros = bytes(min(size, 8 * PART))
    while size > 0:
        size -= os.write(fd, zeros[:size])


def order_of(x: ArrayLike) -> str:
    """Return the order in which NumPy lays out results of arithmetic with ``x`` (n, m): "C" or "F"."""
    rows, columns = np.asarray(x).strides
    return "F" if abs(rows) < abs(columns) else "C"
