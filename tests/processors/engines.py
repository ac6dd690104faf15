"""Imported by each Python of the environment while ``scripts/test --processor`` runs.

In processes that compute, numbers too small to be normal become zero, or engines have another number of threads.

Assay chooses its engines' threads and environment itself, so neither comes from the environment of whoever starts it.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import sys

COMPUTE = ("analyzer.differential.worker", "analyzer.numerical.confirm", '"imports"', "assay_inside")
FLUSH = 0x8040  # MXCSR: flush results to zero, take operands that are denormal as zero; threads inherit it
DEFAULT = 0x1F80
LOAD = b"\x0f\xae\x17\xc3"  # ldmxcsr [rdi]; ret


def flush_denormals() -> None:
    """For this thread and those that it starts, on x86-64."""
    code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(LOAD)
    load = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
    load(ctypes.addressof(ctypes.c_uint32(DEFAULT | FLUSH)))


def settle(threads: str, flushed: bool) -> None:
    """Where this process computes for Assay."""
    if not any(name in argument for argument in sys.orig_argv for name in COMPUTE):
        return
    if threads:
        os.environ["OMP_NUM_THREADS"] = threads
    if flushed:
        flush_denormals()
