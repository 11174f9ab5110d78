"""Compound jobs, each one run of the store in one slot: comparison, backtest, ablation.

``plan`` says what is asked, ``work`` does one part of it and keeps it in the run's folder, ``conduct`` is the process
that hands parts out and records progress, ``results`` puts the parts together.  Parts that are there are not done
again, so a study that was interrupted goes on where it stopped.
"""
