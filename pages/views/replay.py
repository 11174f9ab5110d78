"""How it learns: the replay of one run, named by ``?run=<id>`` in the address, round by round."""

from pages.parts import replay_view
from pages.parts.client import lab

replay_view.show(lab())
