"""How many tokens a text is: exact vocabularies that ship with promptlint, and estimates scaled from them."""
