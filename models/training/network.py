"""The network: a small fully convolutional detector that also names the top face.

Input: (B, 3, H, W) float, BGR, 0..1, H and W multiples of 16. Output: (B, 12, H/8, W/8) raw numbers a
cell: objectness (logit), seven face logits (faces 1..6, then cocked), log2 of box width and height over
`REFERENCE_PX`, and the vector from the cell's centre to the die's centre in cells (x, y).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

FACE_CLASSES = 7
OUTPUTS = 1 + FACE_CLASSES + 4
WIDTHS = (16, 24, 48, 80)
DEPTHS = (1, 2, 2, 1)


def conv(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    """3x3 convolution, normalisation, ReLU."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)
    )


class Residual(nn.Module):
    """Two 3x3 convolutions around a shortcut."""

    def __init__(self, width: int) -> None:
        """Build a block with `width` channels in and out."""
        super().__init__()
        self.first = conv(width, width)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        """(B, C, H, W) -> (B, C, H, W)."""
        return F.relu(x + self.second(self.first(x)))


class ReaderNet(nn.Module):
    """Stem to stride 4, features at strides 4, 8 and 16, one merge, one head at stride 8."""

    def __init__(self, widths: tuple[int, ...] = WIDTHS, depths: tuple[int, ...] = DEPTHS) -> None:
        """Build the network; `widths` are channels at strides 2, 4, 8, 16, `depths` residual blocks."""
        super().__init__()
        self.stem = conv(3, widths[0], 2)
        self.down4 = conv(widths[0], widths[1], 2)
        self.blocks4 = nn.Sequential(*[Residual(widths[1]) for _ in range(depths[0])])
        self.down8 = conv(widths[1], widths[2], 2)
        self.blocks8 = nn.Sequential(*[Residual(widths[2]) for _ in range(depths[1])])
        self.down16 = conv(widths[2], widths[3], 2)
        self.blocks16 = nn.Sequential(*[Residual(widths[3]) for _ in range(depths[2])])
        self.lateral = nn.Conv2d(widths[3], widths[2], 1)
        self.merge = nn.Sequential(*[Residual(widths[2]) for _ in range(depths[3])])
        self.head = nn.Conv2d(widths[2], OUTPUTS, 1)
        nn.init.zeros_(self.head.bias)
        with torch.no_grad():
            self.head.bias[0] = -4.0  # dice are rare: start from "nothing here"

    def forward(self, x: Tensor) -> Tensor:
        """(B, 3, H, W) -> (B, 12, H/8, W/8)."""
        at8 = self.blocks8(self.down8(self.blocks4(self.down4(self.stem(x)))))
        at16 = self.blocks16(self.down16(at8))
        up = F.interpolate(self.lateral(at16), scale_factor=2.0, mode="nearest")
        result: Tensor = self.head(self.merge(at8 + up))
        return result
