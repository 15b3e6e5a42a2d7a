"""pictures.py PICTURE.svg...: what every picture must keep. Its title, a subtitle and a legend are there,
every text lies inside, and none lies over another. Widths are estimates: two thirds of the font size a
letter, as wide as the letters of the PNG of the same picture are."""
import html
import re
import sys

TEXT = re.compile(
    r'<g transform="translate\(([-\d.]+),([-\d.]+)\)( rotate\([-\d.]+\))?"[^>]*?'
    r'font-size="([\d.]+)"\s+text-anchor="(\w+)">\s*(.*?)</g>', re.S)


def texts(svg):
    """(left, top, right, bottom, text, font size) of those that are not rotated."""
    for x, y, rotated, size, anchor, body in TEXT.findall(svg):
        text = html.unescape(re.sub(r"<[^>]*>", "", body)).strip()
        if not text or rotated:
            continue
        x, y, size = float(x), float(y), float(size)
        width = 0.66 * size * len(text)
        left = x - {"start": 0, "middle": 0.5, "end": 1}[anchor] * width
        yield left, y - 0.75 * size, left + width, y + 0.1 * size, text, size


def problems(svg):
    width, height = map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups())
    boxes = list(texts(svg))
    for size, what in ((19, "title"), (14, "subtitle")):
        if not any(b[5] == size for b in boxes):
            yield f"no {what}"
    see = next((b[4] for b in boxes if b[5] == 14), "")
    if not re.match(r"(Lower|Further|Higher|Flat|Left of|On the grey|At 1|Dashed above)", see):
        yield f"the subtitle does not say what to see: {see}"
    for i, a in enumerate(boxes):
        if a[0] < -3 or a[1] < 0 or a[2] > width + 3 or a[3] > height:
            yield f"{a[4]!r} leaves the picture"
        for b in boxes[:i]:
            if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]:
                yield f"{a[4]!r} lies over {b[4]!r}"


bad = 0
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        for problem in problems(file.read()):
            print(f"{path}: {problem}")
            bad += 1
sys.exit(bad > 0)
