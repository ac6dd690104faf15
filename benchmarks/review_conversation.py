"""Random lives of a pull request, 30 events each, against the oracle of `tests/action/conversation_model.py`.

python -m benchmarks.review_conversation --sequences 500 --first 0
"""

from __future__ import annotations

import argparse
import time

from tests.action.conversation_model import EVENTS, play


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sequences", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    options = parser.parse_args()
    began, wrong = time.perf_counter(), []
    for seed in range(options.first, options.first + options.sequences):
        wrong += play(seed)
    for line in wrong:
        print(line)
    seconds = time.perf_counter() - began
    seeds = f"seeds {options.first} to {options.first + options.sequences - 1}"
    print(f"{options.sequences} sequences of {EVENTS} events ({seeds}): {len(wrong)} wrong, {seconds:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
