"""Still pictures in H.264 without encoding them: the coded picture that says "the same again".

x264 needs about as long for a picture in which nothing moves as for one in which little does. But what it writes then
is always the same: a slice of nothing but skipped macroblocks. It is written here once for each stream, by x264 itself
from two equal pictures with the same settings, and put into the stream as often as a still lasts. The only thing in it
that changes is the number of the picture (`frame_num`), a field of fixed length in the slice's header; the pictures
that follow are renumbered in the same place.

What this relies on, and what is checked: no B pictures and so output in coding order (picture order count type 2), one
reference picture (the repeat becomes it, with the same content), no weighted prediction, one slice a picture.
Standard: ITU-T H.264 (08/2021), 7.3.2.1.1 (sequence parameter set), 7.3.3 (slice header), 7.4.1 (escaping).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_SLICE, _KEY_SLICE, _SEQUENCE = 1, 5, 7
_LIKE_A_START = re.compile(rb"\x00\x00(?=[\x00-\x03])")
_START = b"\x00\x00\x00\x01"
# Profiles whose sequence parameter sets tell of chroma and bit depth.
_HIGH_PROFILES = (100, 110, 122, 244)


class RepeatError(RuntimeError):
    """The stream is not of the kind that pictures can be repeated in; the message says why."""


class Repeats:
    """Renumbers the coded pictures of one stream and makes repeats for it.

    `sample`: the packets that the stream's own settings give for two equal pictures, in Annex B form, parameter sets
    in the first. Raises RepeatError when they are not of the expected kind.
    """

    def __init__(self, sample: Sequence[bytes]) -> None:
        if len(sample) != 2:
            raise RepeatError(f"two pictures became {len(sample)} packets")
        first, second = (list(units_of(packet)) for packet in sample)
        sequences = [unit for unit in first if _kind(unit) == _SEQUENCE]
        if len(sequences) != 1 or [_kind(unit) for unit in second] != [_SLICE]:
            raise RepeatError("the packets do not hold one sequence parameter set and then one slice")
        self._bits = _number_bits(sequences[0])
        self._again = second[0]
        self._last = 0
        self._repeated = 0  # since the last key picture

    def pass_on(self, packet: bytes) -> bytes:
        """The next coded picture of the stream, renumbered."""
        units = []
        for unit in units_of(packet):
            if _kind(unit) == _KEY_SLICE:
                self._last = self._repeated = 0
            elif _kind(unit) == _SLICE:
                number = _number(unit, self._bits) + self._repeated
                self._last = number % (1 << self._bits)
                unit = _numbered(unit, self._bits, self._last)  # noqa: PLW2901
            units.append(unit)
        return _START + _START.join(units)

    def again(self) -> bytes:
        """A coded picture equal to the last one."""
        self._repeated += 1
        self._last = (self._last + 1) % (1 << self._bits)
        return _START + _numbered(self._again, self._bits, self._last)


def units_of(packet: bytes) -> Iterator[bytes]:
    """The NAL units of a packet in Annex B form, as they are, escapes included."""
    begin = packet.find(b"\x00\x00\x01")
    if begin < 0:
        raise RepeatError("a packet without a start code")
    while begin >= 0:
        end = packet.find(b"\x00\x00\x01", begin + 3)
        unit = packet[begin + 3 : end if end >= 0 else len(packet)]
        yield unit.rstrip(b"\x00") if end >= 0 else unit
        begin = end


def escaped(payload: bytes) -> bytes:
    """`payload` with an escape wherever it would look like a start code."""
    return _LIKE_A_START.sub(b"\x00\x00\x03", payload)


def unescaped(unit: bytes) -> bytes:
    """The payload of a NAL unit without escapes."""
    return unit.replace(b"\x00\x00\x03", b"\x00\x00")


class _Bits:
    """Reads a payload bit by bit."""

    def __init__(self, payload: bytes) -> None:
        self._payload = payload
        self.place = 0

    def number(self, bits: int) -> int:
        """An unsigned number of a fixed length."""
        value = 0
        for _ in range(bits):
            byte = self._payload[self.place >> 3]
            value = value << 1 | byte >> (7 - (self.place & 7)) & 1
            self.place += 1
        return value

    def golomb(self) -> int:
        """An unsigned Exp-Golomb number."""
        zeros = 0
        while not self.number(1):
            zeros += 1
        return (1 << zeros) - 1 + self.number(zeros)


def _kind(unit: bytes) -> int:
    return unit[0] & 31


def _number_bits(sequence: bytes) -> int:
    """The length of `frame_num`. Raises RepeatError when the sequence does not allow repeats."""
    bits = _Bits(unescaped(sequence))
    bits.number(8)
    profile = bits.number(8)
    bits.number(16)
    bits.golomb()
    if profile in _HIGH_PROFILES:
        if bits.golomb() != 1:
            raise RepeatError("the stream is not 4:2:0")
        bits.golomb()
        bits.golomb()
        bits.number(1)
        if bits.number(1):
            raise RepeatError("the stream has scaling matrices")
    length = bits.golomb() + 4
    if bits.golomb() != 2:
        raise RepeatError("the stream has B pictures")
    if bits.golomb() != 1:
        raise RepeatError("the stream has more than one reference picture")
    return length


def _number_place(payload: bytes) -> int:
    """Where `frame_num` begins in a slice, in bits: behind three Exp-Golomb numbers."""
    bits = _Bits(payload[:16])
    bits.number(8)
    for _ in range(3):
        bits.golomb()
    return bits.place


def _number(unit: bytes, length: int) -> int:
    payload = unescaped(unit[:32])
    bits = _Bits(payload)
    bits.place = _number_place(payload)
    return bits.number(length)


def _numbered(unit: bytes, length: int, number: int) -> bytes:
    """The slice `unit` with another number."""
    payload = bytearray(unescaped(unit))
    place = _number_place(bytes(payload[:16]))
    for offset in range(length):
        byte, mask = divmod(place + offset, 8)
        mask = 128 >> mask
        bit = number >> (length - 1 - offset) & 1
        payload[byte] = payload[byte] | mask if bit else payload[byte] & ~mask
    return escaped(bytes(payload))
