#!/usr/bin/env python3
"""Makes cards of Markdown notes, or searches them. KVAULT_URL and KVAULT_API_KEY say which vault and who."""

import argparse
import hashlib
import json
import os
import re
import sys
import urllib.error
import urllib.request
from pathlib import Path

URL = os.environ.get("KVAULT_URL", "http://127.0.0.1:8080")


class Refused(Exception):
    """The vault's own sentence about what is wrong."""


def call(path, body, key):
    """One POST. The same key and body give the first answer again, so a repeated import makes no second card."""
    request = urllib.request.Request(
        f"{URL}/api/v1{path}",
        data=json.dumps(body).encode(),
        headers={
            "Content-Type": "application/json",
            "X-API-Key": os.environ["KVAULT_API_KEY"],
            **({"Idempotency-Key": key} if key else {}),
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        detail = json.load(error).get("detail")
        if isinstance(detail, list):
            detail = "; ".join(f"{'.'.join(map(str, issue['loc']))}: {issue['msg']}" for issue in detail)
        raise Refused(detail) from None
    except urllib.error.URLError as error:
        raise Refused(f"{URL} cannot be reached: {error.reason}") from None


def section(text, name):
    found = re.search(rf"^## {name}\s*\n(.*?)(?=^## |^Tags:|\Z)", text, re.MULTILINE | re.DOTALL)
    return " ".join(found[1].split()) if found else ""


def card_of(text):
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    tags = re.search(r"^Tags:(.+)$", text, re.MULTILINE)
    card = {
        "title": title[1].strip() if title else "",
        "symptom": section(text, "Symptom"),
        "fix_summary": section(text, "Fix"),
        "tags": [tag.strip() for tag in tags[1].split(",")] if tags else [],
    }
    missing = [field for field in ("title", "symptom", "fix_summary") if not card[field]]
    if missing:
        raise Refused(f"no {', '.join(missing)}")
    return card


def import_notes(files):
    failed = 0
    for file in files:
        text = Path(file).read_text(encoding="utf-8")
        try:
            key = hashlib.sha256(text.encode()).hexdigest()
            print(f"{file}: {call('/cards', card_of(text), key)['card_id']}")
        except Refused as error:
            failed += 1
            print(f"{file}: {error}", file=sys.stderr)
    return 1 if failed else 0


def search(query):
    for hit in call("/search", {"query": query}, None)["results"]:
        print(f"{hit['score']:.2f}  {hit['title']}\n      {hit['fix_summary']}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--search", metavar="WORDS")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    if "KVAULT_API_KEY" not in os.environ:
        parser.error("set KVAULT_API_KEY")
    try:
        return search(arguments.search) if arguments.search else import_notes(arguments.files)
    except Refused as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
