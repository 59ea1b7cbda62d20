"""What is wrong with a case file, said so that its author can put it right."""


class CaseError(Exception):
    """A case file, or one case of it, cannot be used.

    `sentence` says what to change; `file` and `case` (its id) say where, and are None where that is not known yet.
    """

    def __init__(self, sentence: str, case: str | None = None, file: str | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.case = case
        self.file = file

    def at(self, case: str | None = None, file: str | None = None) -> "CaseError":
        """The same with the places added that are not known yet."""
        return CaseError(self.sentence, self.case or case, self.file or file)

    def __str__(self) -> str:
        places = [self.file or "", f"case {self.case}" if self.case else ""]
        where = ", ".join(place for place in places if place)
        return f"{where}: {self.sentence}" if where else self.sentence
