"""Writes the bits of `situ.random.Generator` to the standard output, for a battery of tests to read.

    python tools/random_bits.py | RNG_test stdin32                   (PractRand)
    python tools/random_bits.py | dieharder -a -g 200                (dieharder, a package of Debian's)
    python tools/random_bits.py --streams 1000 | RNG_test stdin32    (a word of each of many generators in turn)

It ends when nobody reads any more, or after `--bytes`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

import numpy

from situ.random import Generator

PIECE = 1 << 22
"""Words of 32 bits that are drawn at a time, from all streams together."""


def pieces(seed: int, streams: int) -> Iterator[bytes]:
    """Yield the bits of one generator, or those of so many that it spawns, a word of each in turn.

    >>> next(pieces(0, 1))[:4].hex(), next(pieces(0, 2))[:4] == Generator(0).spawn(2)[0].bytes(4)
    ('d5e82766', True)
    """
    generator = Generator(seed, device="cpu")
    if streams == 1:
        while True:
            yield generator.bytes(4 * PIECE)
    generators = generator.spawn(streams)
    words = max(PIECE // streams // 4 * 4, 4)
    while True:
        drawn = [numpy.frombuffer(each.bytes(4 * words), "<u4") for each in generators]
        yield numpy.stack(drawn, axis=1).tobytes()


def main() -> None:
    """Write until there is nobody to read it."""
    parser = argparse.ArgumentParser(description="Write random bits to the standard output.")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--streams", type=int, default=1, help="generators spawned, a word of each in turn")
    parser.add_argument("--bytes", type=int, default=None, help="how many; all that are read if not given")
    arguments = parser.parse_args()
    if arguments.streams < 1:
        parser.error("there must be at least one stream")
    rest = arguments.bytes
    try:
        for piece in pieces(arguments.seed, arguments.streams):
            written = piece if rest is None else piece[:rest]
            sys.stdout.buffer.write(written)
            if rest is not None and (rest := rest - len(written)) <= 0:
                break
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Python would say so once more at its end.
        sys.stderr.close()


if __name__ == "__main__":
    main()
