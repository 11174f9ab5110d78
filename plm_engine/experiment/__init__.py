"""The speed-up experiment: what each parallel mode buys on this machine, measured side by side.

``plan`` says what to compare, ``bench`` is the process of one contender, ``conduct`` lets them take turns, ``results``
turns the trials into measures with intervals and one sentence.  An experiment is one run of the store, in one slot.
"""
