"""Turns of several sides, and the small table of their medians, spreads and ratios."""

import statistics


def in_turns(rounds, sides):
    """Lets each of the sides, functions of the round, have its turn, round after round; what they gave."""
    given = {name: [] for name in sides}
    for number in range(rounds):
        for name, turn in sides.items():
            given[name].append(turn(number))
    return given


def show(title, unit, given, digits=0, better="more", ratios=True):
    """One row a side: median, lowest and highest; and how many times as good as it the first side was, the median over
    the rounds."""
    print(f"\n{title}\n{'':<26} {'median':>10} {'lowest':>10} {'highest':>10}  {unit}", flush=True)
    first = next(iter(given.values()))
    for place, (name, values) in enumerate(given.items()):
        row = (f"  {name:<24} {statistics.median(values):>10,.{digits}f} {min(values):>10,.{digits}f}"
               f" {max(values):>10,.{digits}f}")
        if ratios and place:
            pairs = zip(first, values, strict=True)
            ratio = statistics.median(one / other if better == "more" else other / one for one, other in pairs)
            row += f"  the first is {ratio:.2f} x as good"
        print(row, flush=True)
