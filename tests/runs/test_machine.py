"""What the machine has: asked once, kept, never loading torch here."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

from plm_engine import machine
from plm_engine.machine import Gpu, known, probe


def count_probes(monkeypatch, gpus):
    asked = []

    def answer():
        asked.append(1)
        return gpus, "" if gpus is not None else "The GPUs could not be asked for: no torch"

    monkeypatch.setattr(machine, "_ask_torch", answer)
    return asked


def test_cores_and_memory_are_known_at_once(tmp_path):
    found = known(tmp_path / "home")
    assert 1 <= found.cores <= os.cpu_count()
    assert found.memory_bytes > 2**28
    assert found.gpus is None
    assert not (tmp_path / "home").exists(), "looking writes nothing"


def test_gpus_are_asked_for_once_and_kept(tmp_path, monkeypatch):
    asked = count_probes(monkeypatch, (Gpu("H200", 2**37),))
    assert probe(tmp_path).gpus == (Gpu("H200", 2**37),)
    assert probe(tmp_path).sentence().endswith("H200 (128 GiB)")
    assert known(tmp_path).gpus == (Gpu("H200", 2**37),)
    assert len(asked) == 1
    probe(tmp_path, again=True)
    assert len(asked) == 2


def test_a_kept_answer_holds_only_for_the_same_torch_and_devices(tmp_path, monkeypatch):
    count_probes(monkeypatch, ())
    assert probe(tmp_path).sentence().endswith("no GPU")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    assert known(tmp_path).gpus is None
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    now = machine._now()
    monkeypatch.setattr(machine, "_now", lambda: replace(now, torch="9.9"))
    assert known(tmp_path).gpus is None


def test_a_probe_that_fails_says_why_and_is_not_kept(tmp_path, monkeypatch):
    count_probes(monkeypatch, None)
    found = probe(tmp_path)
    assert found.gpus is None
    assert found.remark.endswith("no torch")
    assert found.sentence().endswith("GPUs not known")
    assert not (tmp_path / "machine.json").exists()


def test_torch_answers_in_a_process_of_its_own(tmp_path):
    code = (
        f"import sys; from plm_engine.machine import probe; found = probe({str(tmp_path)!r});"
        "print(found.gpus is not None, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=150)
    assert done.stdout.split() == ["True", "False"], done.stderr
