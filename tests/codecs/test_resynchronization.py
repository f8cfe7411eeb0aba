"""Every codec reads again within one frame after any noise: the bench's own check, on less noise."""

from __future__ import annotations

import pytest

from tests.bench.codecs import CODECS, Codec, fuzz


@pytest.mark.parametrize("name", CODECS)
@pytest.mark.parametrize("seed", [1, 2])
def test_within_one_frame(name: str, seed: int) -> None:
    found = fuzz(CODECS[name], 30_000, seed)
    assert found.pieces > 100
    assert found.good, found


def test_a_codec_that_does_not_is_found() -> None:
    class Deaf:
        """Gives up for good after a byte that it does not know."""

        waiting = 0
        deaf = False

        def read(self, data: bytes) -> list[str]:
            self.deaf = self.deaf or bool(set(data) - set(b"AB"))
            return [] if self.deaf else list(data.decode())

    codec = Codec(Deaf, lambda decoder, data, at_ns: decoder.read(data), lambda at_ns: (b"A", b"B"), b"AB")
    assert fuzz(codec, 1000).missed > 0
