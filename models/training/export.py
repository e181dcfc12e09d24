"""Write trained weights as the ONNX file that the reader loads.

`python -m models.training.export --checkpoint runs/reader/checkpoint.pt --out models/reader.onnx`
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import onnx
import torch

from models.training.network import ReaderNet
from vision.network import REFERENCE_PX, STRIDE_PX, Tuning

DEFAULT_TUNING = Tuning(
    stride_px=STRIDE_PX,
    reference_px=REFERENCE_PX,
    size_prior=2.0,
    found_detector=0.5,
    found_classifier=0.5,
    found_offset=0.0,
    faces_detector=0.5,
    faces_classifier=0.8,
    face_from=0.4,
    name_from=0.5,
    drop_below=0.35,
    sure_from=0.9,
)


def load_checkpoint(path: Path) -> ReaderNet:
    """Return the network with the averaged weights of a checkpoint, ready to read."""
    saved = torch.load(path, weights_only=True, map_location="cpu")["average"]
    net = ReaderNet()
    net.load_state_dict({key.removeprefix("module."): v for key, v in saved.items() if key != "n_averaged"})
    return net.eval()


def export(net: ReaderNet, path: Path, tuning: Tuning = DEFAULT_TUNING) -> None:
    """Write `net` with `tuning` as its metadata; height and width of the input stay free."""
    axes = {"image": {2: "height", 3: "width"}, "cells": {2: "rows", 3: "columns"}}
    write(plain_export(net, torch.zeros(1, 3, 64, 64), "cells", axes, path), path, tuning)


def plain_export(
    net: torch.nn.Module, example: torch.Tensor, output: str, axes: dict[str, dict[int, str]], path: Path
) -> onnx.ModelProto:
    """Trace `net` on `example` (input "image") and return the ONNX model; `axes` names the free ones."""
    partial = path.with_suffix(".partial")
    with warnings.catch_warnings():
        # The older exporter is meant: it needs no further package and keeps the graph plain.
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.onnx.export(
            net,
            (example,),
            str(partial),
            dynamo=False,
            input_names=["image"],
            output_names=[output],
            dynamic_axes=axes,
            opset_version=17,
        )
    model = onnx.load(str(partial))
    partial.unlink()
    return model


def write(model: onnx.ModelProto, path: Path, tuning: Tuning) -> None:
    """Store `tuning` in the model's metadata and write it in one go."""
    del model.metadata_props[:]
    entry = model.metadata_props.add()
    entry.key, entry.value = "croupier", json.dumps(asdict(tuning), sort_keys=True)
    partial = path.with_suffix(".partial")
    onnx.save(model, str(partial))
    partial.replace(path)


def main(argv: Sequence[str] | None = None) -> None:
    """Read the command line and export."""
    parser = argparse.ArgumentParser(description="Write trained weights as ONNX.")
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--out", default="models/reader.onnx")
    args = parser.parse_args(argv)
    export(load_checkpoint(Path(args.checkpoint)), Path(args.out))


if __name__ == "__main__":
    main()
