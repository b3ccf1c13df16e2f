"""A chart with logarithmic axes as SVG, small and by hand: lines with points, each line named at its end."""

import math
from html import escape

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 72, 168, 60, 52
# Names of lines lie at least so far below each other.
LINE_HEIGHT = 15
# Distinct for most eyes, on white as on black.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #333 }
.title { font-size: 14px; font-weight: 600 }
.grid { stroke: #ddd }
.axis { stroke: #888 }
.line { fill: none; stroke-width: 2 }
@media (prefers-color-scheme: dark) { text { fill: #ccc } .grid { stroke: #444 } }
"""


class Axis:
    """Values between the ticks around them, on a logarithmic scale from one place to another."""

    def __init__(self, values, steps, first, last):
        self.ticks = ticks(min(values), max(values), steps)
        self.first, self.last = first, last

    def place(self, value):
        low, high = math.log(self.ticks[0]), math.log(self.ticks[-1])
        return self.first + (math.log(value) - low) / (high - low) * (self.last - self.first)


def ticks(low, high, steps):
    """Those of the powers of ten times `steps` from the last that is not above `low` to the first not below `high`."""
    decades = range(math.floor(math.log10(low)) - 2, math.ceil(math.log10(high)) + 2)
    every = [step * 10.0 ** decade for decade in decades for step in steps]
    # What a float loses must not cost a tick.
    first = max(place for place, tick in enumerate(every) if tick <= low * (1 + 1e-9))
    last = min(place for place, tick in enumerate(every) if high * (1 - 1e-9) <= tick)
    # A decade at least, so that noise does not look like growth.
    while every[last] < 10 * every[first] * (1 - 1e-9):
        first -= 1
    return every[first:last + 1]


def label(value):
    return f"{value:,.0f}" if 1 <= value else f"{value:g}"


def text(x, y, words, **attributes):
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x:.0f}" y="{y:.0f}"{more}>{escape(words)}</text>'


def apart(places):
    """The places, moved down where they would lie too close to the one above."""
    moved, last = {}, -math.inf
    for name, place in sorted(places.items(), key=lambda item: item[1]):
        last = moved[name] = max(place, last + LINE_HEIGHT)
    return moved


def chart(title, across, upwards, lines):
    """`lines` are names with points, none of them 0 or less; `across` and `upwards` name the axes with their units."""
    points = [point for line in lines.values() for point in line]
    x = Axis([point[0] for point in points], (1,), LEFT, WIDTH - RIGHT)
    y = Axis([point[1] for point in points], (1, 2, 5), HEIGHT - BOTTOM, TOP)
    drawn = [text(8, 20, title, **{"class": "title"})]
    for tick in y.ticks:
        at = y.place(tick)
        drawn += [f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>',
                  text(LEFT - 8, at + 4, label(tick), text_anchor="end")]
    for tick in x.ticks:
        at = x.place(tick)
        drawn += [f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>',
                  text(at, HEIGHT - BOTTOM + 18, label(tick), text_anchor="middle")]
    drawn += [f'<path class="axis" fill="none" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>',
              text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, across, text_anchor="middle"), text(8, 40, upwards)]
    names = apart({name: y.place(line[-1][1]) for name, line in lines.items()})
    for colour, (name, line) in zip(COLOURS, lines.items(), strict=False):
        places = [(x.place(one), y.place(other)) for one, other in line]
        path = "L".join(f"{one:.1f} {other:.1f}" for one, other in places)
        drawn.append(f'<path class="line" stroke="{colour}" d="M{path}"/>')
        drawn += [f'<circle cx="{one:.1f}" cy="{other:.1f}" r="3.5" fill="{colour}"/>' for one, other in places]
        end, dash = places[-1][0] + 8, names[name]
        drawn += [f'<path class="line" stroke="{colour}" d="M{end:.1f} {dash:.1f}h8"/>',
                  text(end + 12, dash + 4, name)]
    body = "\n".join(drawn)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
            f'height="{HEIGHT}" role="img">\n<title>{escape(title)}</title>\n<style>{STYLE}</style>\n{body}\n</svg>\n')
