"""An Alpha sign as a model: its memory, and what a person would see on it. No port, no clock.

Rules, as measured by others on a BetaBrite Classic:
* A STRING that is longer than its allocation empties the file; one without an allocation is ignored. (A TEXT is treated
  alike here.)
* The priority file takes the screen while it exists, also when it is empty; the bare release gives the screen back.
* Configuring the memory erases every file.
"""

from __future__ import annotations

from drivers.codecs import alpha

FACTORY_TEXT = alpha.TextFile("A", 150)


class SignModel:
    """One sign, as new."""

    def __init__(self) -> None:
        self._allotted: dict[str, alpha.TextFile | alpha.StringFile] = {FACTORY_TEXT.label: FACTORY_TEXT}
        self._texts: dict[str, tuple[alpha.TextPart, ...]] = {}
        self._strings: dict[str, str] = {}
        self._priority: tuple[alpha.TextPart, ...] | None = None
        self._sequence = FACTORY_TEXT.label
        self.clock = ""
        self.counters = {"texts": 0, "strings": 0, "priorities": 0, "configurations": 0, "emptied": 0, "ignored": 0}

    @property
    def screen(self) -> str:
        """The characters that are, or move, on the sign; several texts of the run sequence with ` | ` between."""
        if self._priority is not None:
            return self._rendered(self._priority)
        texts = (self._texts[label] for label in self._sequence if label in self._texts)
        return " | ".join(self._rendered(text) for text in texts)

    @property
    def files(self) -> dict[str, str]:
        """Every file that holds something, by its label (`0`: the priority file)."""
        held = {label: self._rendered(parts) for label, parts in self._texts.items()} | self._strings
        return held if self._priority is None else held | {alpha.PRIORITY_LABEL: self._rendered(self._priority)}

    def obey(self, command: alpha.Command) -> None:
        """Do what a real sign would."""
        match command:
            case alpha.ReleasePriority():
                self._priority = None
            case alpha.WriteText(alpha.PRIORITY_LABEL, parts):
                self.counters["priorities"] += 1
                self._priority = parts if alpha.text_size(parts) <= alpha.PRIORITY_LIMIT else ()
            case alpha.WriteText(label, parts):
                file = self._allotted.get(label)
                if isinstance(file, alpha.TextFile):
                    self.counters["texts"] += 1
                    self._texts[label] = parts if self._fits(alpha.text_size(parts), file.size) else ()
                else:
                    self.counters["ignored"] += 1
            case alpha.WriteString(label, text):
                file = self._allotted.get(label)
                if isinstance(file, alpha.StringFile):
                    self.counters["strings"] += 1
                    self._strings[label] = text if self._fits(len(text), file.size) else ""
                else:
                    self.counters["ignored"] += 1
            case alpha.ConfigureMemory(files):
                self.counters["configurations"] += 1
                self._allotted = {file.label: file for file in files}
                self._texts, self._strings, self._priority = {}, {}, None
            case alpha.SetTime(hour, minute):
                self.clock = f"{hour:02}:{minute:02}"
            case alpha.RunSequence(labels):
                self._sequence = labels

    def _fits(self, size: int, allotted: int) -> bool:
        self.counters["emptied"] += size > allotted
        return size <= allotted

    def _rendered(self, parts: tuple[alpha.TextPart, ...]) -> str:
        shown = ""
        for part in parts:
            if isinstance(part, alpha.StringCall):
                shown += self._strings.get(part.label, "")
            elif isinstance(part, str):
                shown += part
        return shown
