"""Benchmarks as one command: ``python -m plm_engine bench [step|run|growth|startup] --json``.

Every figure is a ratio within one run on one thread: the contenders take turns, block by block, so that a busy machine
slows all of them alike.  Times are medians over the blocks, with the smallest and the largest beside them.
"""
