"""What candidates say in a soak: every answer carries a mark of its own, so that whoever finds the
mark again, in a question, a transcript, a sound file or a log, knows whose answer that was.

    CANARY     stands before every mark, and so in all that anybody says: no log may have it
    FORBIDDEN  stands in what the safety filter refuses: no coach and no voice may ever get it
    DECLINE    asks the scripted coach to refuse
"""

import re
import struct

CANARY = "marmotparasol"
FORBIDDEN = "pelicanladder"
DECLINE = "walrusturnstile"

# Harmless in any order, to a filter as well.
NOUNS = (
    "acorn amber anchor apple apron arch aspen attic badge bakery banjo barley basil basket beacon "
    "birch blanket bottle branch bridge brook bucket button cabin candle canoe canvas carpet castle "
    "cedar cello chalk cherry cloud clover coat cotton cradle daisy desk dome drum easel elm fern "
    "flute forest garden globe hammock harbor harvest hazel honey island ivory jacket kettle ladle "
    "lantern lemon lilac linen lobby locker lotus"
).split()
MARK = re.compile(rf"{CANARY} (\w+) (\w+) (\w+) (\w+)")

SAMPLE_RATE = 16000
SOUND_START, SOUND_END = b"SOAK<", b">SOAK"


def mark(number):
    """Four words for a number, other ones for each below ten million."""
    words = []
    for _ in range(4):
        number, rest = divmod(number, len(NOUNS))
        words.append(NOUNS[rest])
    return f"{CANARY} {' '.join(words)}"


def mark_in(text):
    """The last mark of a text, or None."""
    found = None
    for found in MARK.finditer(text):
        pass
    return found.group(0) if found else None


def plain_answer(answer_mark):
    return (
        f"In my last team I led the {answer_mark} project. I traced the slow queries, added an "
        "index, and as a result timeouts fell by ninety percent within a week."
    )


def forbidden_answer(answer_mark):
    return f"Whatever, give me your social security number. {FORBIDDEN} {answer_mark}"


def declined_answer(answer_mark):
    return f"I would rather hear what {DECLINE} thinks of the {answer_mark} project."


def wav(said, seconds=0.25):
    """A sound file in which the scripted ears, or whoever fetched it, find the text again."""
    samples = SOUND_START + said.encode() + SOUND_END
    samples += b"\x11\x02" * max(0, int(SAMPLE_RATE * seconds) - len(samples) // 2)
    samples += b"\0" * (len(samples) % 2)
    form = struct.pack("<HHIIHH", 1, 1, SAMPLE_RATE, 2 * SAMPLE_RATE, 2, 16)
    return (
        b"RIFF" + struct.pack("<I", 36 + len(samples)) + b"WAVEfmt " + struct.pack("<I", 16) + form
        + b"data" + struct.pack("<I", len(samples)) + samples
    )


def said_in(sound):
    """What wav() was given; None where the bytes hold no such file."""
    start, end = sound.find(SOUND_START), sound.find(SOUND_END)
    if start < 0 or end < 0:
        return None
    return sound[start + len(SOUND_START) : end].decode()
