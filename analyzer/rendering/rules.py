"""What is said about a rule as such: its title and where its page stands."""

from __future__ import annotations

LOOSENED = "configuration/loosened"
NO_LONGER_ANALYSED = "analysis/no-longer-analysed"
DOCS = "https://github.com/assay-action/assay/blob/main/docs/rules"


def help_uri(rule: str) -> str:
    """The page of `rule`."""
    return f"{DOCS}/{rule}.md"


def title(rule: str) -> str:
    """`numerical/log-of-nonpositive` as "Log of nonpositive"."""
    words = rule.rpartition("/")[2].replace("-", " ")
    return words[:1].upper() + words[1:]
