"""How fast `poise index` reads, and how much memory it takes for corpora of different sizes.

    tests/bench/index.py [--poise build/gcc/poise] [--megabytes 10 100] [--keep DIR]

Makes Markdown of words that are as rare as words are (Zipf), with headings, lists, tables and code, indexes it
twice (all new; nothing changed), then with one file changed, and prints seconds, MB/s and the peak of memory.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

SYLLABLES = ["ba", "ko", "ri", "ten", "mu", "sal", "ver", "do", "lin", "pra", "gor", "che", "stu", "fa"]


def vocabulary(count, chance):
    words = set()
    while len(words) < count:
        words.add("".join(chance.choice(SYLLABLES) for _ in range(chance.randint(1, 5))))
    return sorted(words, key=len)


def sentence(words, weights, chance):
    picked = chance.choices(words, cum_weights=weights, k=chance.randint(5, 24))
    return picked[0].capitalize() + " " + " ".join(picked[1:]) + chance.choice([".", ".", ".", "?"])


def document(words, weights, chance, size):
    parts = [f"# {sentence(words, weights, chance)[:60]}\n"]
    length = 0
    while length < size:
        kind = chance.random()
        if kind < 0.10:
            part = f"## {sentence(words, weights, chance)[:50]}\n"
        elif kind < 0.15:
            part = "".join(f"- {sentence(words, weights, chance)}\n" for _ in range(5))
        elif kind < 0.18:
            part = "".join(f"| {a} | {b} |\n" for a, b in zip(chance.choices(words, k=6), chance.choices(words, k=6)))
        elif kind < 0.20:
            part = "```\n" + "".join(f"{a} = {b}()\n" for a, b in zip(chance.choices(words, k=8), words)) + "```\n"
        else:
            part = " ".join(sentence(words, weights, chance) for _ in range(chance.randint(2, 7))) + "\n"
        parts.append(part)
        length += len(part)
    return "\n".join(parts)


def make(directory, megabytes):
    chance = random.Random(5)
    words = vocabulary(60000, chance)
    total, weights = 0.0, []
    for rank in range(len(words)):
        total += 1 / (rank + 3)
        weights.append(total)
    pool = [document(words, weights, chance, 100_000) for _ in range(40)]
    for number in range(megabytes * 10):
        # Paragraphs of a pool in another order: making all text anew takes longer than indexing it.
        paragraphs = pool[number % 40].split("\n\n")
        chance.shuffle(paragraphs)
        folder = os.path.join(directory, f"part{number // 100:03}")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"{number:05}.md"), "w") as file:
            file.write(f"# Document {number}\n\n" + "\n\n".join(paragraphs))


def measure(command):
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    said = process.stdout.read().strip()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{command}: status {status}")
    return time.monotonic() - started, usage.ru_maxrss / 1024, said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--poise", default="build/gcc/poise")
    parser.add_argument("--megabytes", type=int, nargs="+", default=[10, 100])
    parser.add_argument("--keep", help="leave corpus and index here")
    options = parser.parse_args()
    place = options.keep or tempfile.mkdtemp()
    print(f"{'MB':>6} {'run':<12} {'seconds':>8} {'MB/s':>7} {'peak MB':>8} {'index MB':>9}")
    for megabytes in options.megabytes:
        corpus = os.path.join(place, f"corpus{megabytes}")
        index = os.path.join(place, f"{megabytes}.index")
        make(corpus, megabytes)
        for run in ("new", "unchanged", "one changed"):
            if run == "one changed":
                with open(os.path.join(corpus, "part000", "00000.md"), "a") as file:
                    file.write("\n\nOne sentence more.\n")
            seconds, peak, said = measure([options.poise, "index", corpus, "--into", index])
            size = os.path.getsize(index) / 1e6
            print(f"{megabytes:>6} {run:<12} {seconds:>8.2f} {megabytes / seconds:>7.1f} {peak:>8.1f} {size:>9.1f}")
            print(f"       {said}", file=sys.stderr)
    if not options.keep:
        shutil.rmtree(place)


if __name__ == "__main__":
    main()
