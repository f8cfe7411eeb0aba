"""Rewrites the list in `firmware/decisions/README.md`: python -m tests.architecture.index"""

from __future__ import annotations

from tests.architecture.test_records import INDEX, RECORDS


def main() -> None:
    """Keep the text, replace the list at its end."""
    kept = [line for line in INDEX.read_text(encoding="utf-8").splitlines() if not line.startswith("- [")]
    while kept and not kept[-1]:
        kept.pop()
    for record in RECORDS:
        title = record.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")[4:].lstrip(" .:-—")
        kept.append(f"- [{record.name[:4]}]({record.name}) {title}")
    heading = next(index for index, line in enumerate(kept) if line.startswith("## Records"))
    kept.insert(heading + 1, "")
    text = "\n".join(kept) + "\n"
    INDEX.write_text(text.replace("\n\n\n", "\n\n"), encoding="utf-8")


if __name__ == "__main__":
    main()
