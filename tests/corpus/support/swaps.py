"""swaps.py POISE CLAIMS.jsonl [SEED]: false alarms on true claims, and how many claims are found in which one word
was swapped for another of the same passage, or of another one.  A claim's question, where it has one, goes with it."""
import json, random, re, subprocess, sys

SMALL = set("""a an the of in on at to for from by with and or but not is are was were be been has have had it its his
her their they he she that this which who as into out over about up no than then so do does did can could will would
may when while where after before""".split())
WORD = re.compile(r"[A-Za-zÀ-ÿ][A-Za-zÀ-ÿ'-]*|\d[\d.,]*\d|\d")


def content(text):
    return [m for m in WORD.finditer(text)
            if m.group().lower() not in SMALL and (len(m.group()) > 2 or m.group()[0].isdigit())]


def shape(word):
    return 'number' if word[0].isdigit() else 'name' if word[0].isupper() else 'word'


def swapped(claim, source, passage, is_same):
    """The claim with one word swapped for one of the source that is written like it; None: there is none."""
    target = random.choice(content(claim))
    used = {m.group().lower() for m in content(claim)}
    words = [m.group() for m in content(source)]
    words = [w for w in words if shape(w) == shape(target.group()) and w.lower() not in used
             and w.lower()[:5] != target.group().lower()[:5] and (is_same or w.lower() not in passage.lower())]
    return claim[:target.start()] + random.choice(words) + claim[target.end():] if words else None


def main():
    poise, path = sys.argv[1:3]
    random.seed(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    claims = [json.loads(line) for line in open(path, encoding='utf-8')]
    passages = sorted({c['passages'][0] for c in claims})
    rows = []
    for c in claims:
        passage = c['passages'][0]
        rows.append(('true', c['answer'], passage, c.get('question', ''), c.get('kind', '')))
        for kind in ('same passage', 'other passage') * 4:
            source = passage if kind[0] == 's' else random.choice([p for p in passages if p != passage])
            text = swapped(c['answer'], source, passage, kind[0] == 's')
            if text:
                rows.append((kind, text, passage, c.get('question', ''), c.get('kind', '')))
    lines = ''.join(json.dumps({'id': str(i), 'question': q, 'answer': a, 'passages': [p]}) + '\n'
                    for i, (_, a, p, q, _) in enumerate(rows))
    done = subprocess.run([poise, 'support', '--jsonl'], input=lines, capture_output=True, text=True, check=True)
    refused = [not json.loads(line)['supported'] for line in done.stdout.splitlines()]
    for of in sorted({row[4] for row in rows}):
        for kind in ('true', 'same passage', 'other passage'):
            of_kind = [r for r, row in zip(refused, rows) if (row[0], row[4]) == (kind, of)]
            print(f'{of:8} {kind:14} refused {sum(of_kind):4} of {len(of_kind):4}  {100 * sum(of_kind) / len(of_kind):5.1f} %')


main()
