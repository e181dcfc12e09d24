"""Training without one rig: its steps, and going on where it was stopped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("onnx", reason="onnx is not installed: pip install -e '.[train]'")
pytest.importorskip("torch", reason="torch is not installed: pip install -e '.[train]'")

from models.training.leave_one_out import Run, main, table


def run(out: Path) -> Run:
    return Run("desk_white", Path("data"), out, Path("pool"), 100, 200, 1)


def test_both_networks_are_trained_without_the_rig(tmp_path: Path) -> None:
    steps = [command for _, command in run(tmp_path).commands()]
    assert [step[0] for step in steps] == ["train", "export", "mine", "faces", "faces"]
    for step in (steps[0], steps[3]):
        assert step[step.index("--leave-out") + 1] == "desk_white"
        assert "--start-from" not in step


def test_a_run_that_is_done_is_only_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "desk_white"
    (out / "faces").mkdir(parents=True)
    for name in ("detector.onnx", "mined.json", "faces/done.onnx", "reader.onnx"):
        (out / name).write_bytes(b"")
    (out / "figures.json").write_text(json.dumps({"lines": ["desk_white 0.97"]}), encoding="utf-8")
    main(["desk_white", "--data", "nowhere", "--out", str(tmp_path)])
    assert capsys.readouterr().out.splitlines()[1:] == ["desk_white 0.97"]


def test_a_step_that_fails_names_its_log(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"desk_white: train failed; .*log\.txt"):
        run(tmp_path / "out").train()
    assert "Traceback" in (tmp_path / "out" / "log.txt").read_text(encoding="utf-8")


def test_no_such_rig(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["my_desk", "--data", "nowhere", "--out", str(tmp_path)])
    assert "no rig to train on is called my_desk" in capsys.readouterr().err


def test_the_table_has_a_line_a_rig() -> None:
    assert table([{"lines": ["a"]}, {"lines": ["b", "c"]}]).splitlines()[1:] == ["a", "b", "c"]
