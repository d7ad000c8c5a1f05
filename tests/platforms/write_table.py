#!/usr/bin/env python3
"""Puts the rows of run.sh between the markers of a page: write_table.py TABLE PAGE."""

import datetime
import re
import sys
from pathlib import Path

HEAD = "| platform | compiler | object file | cases equal bit for bit | ran on |\n|---|---|---|---|---|\n"

table, page = (Path(name) for name in sys.argv[1:3])
day = datetime.date.today().isoformat()
text = f"<!-- table -->\n{HEAD}{table.read_text(encoding='utf-8')}\n{day}, `tests/platforms/run.sh --write`.\n<!-- /table -->"
before = page.read_text(encoding="utf-8")
after = re.sub(r"<!-- table -->.*<!-- /table -->", lambda _: text, before, flags=re.S)
page.write_text(after, encoding="utf-8")
