#!/usr/bin/env python3
"""Echo: repeats every text that people write to it. Needs Python 3.9 or newer, and nothing else."""
import json
import os
import sys
import time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

URL = os.environ.get("POSTERN_URL", "http://127.0.0.1:8080")
TOKEN = os.environ.get("BOT_TOKEN", "")


class Refused(Exception):
    pass


def ask(request):
    try:
        answer = urlopen(request, timeout=60)
    except HTTPError as error:
        answer = error
    with answer:
        return answer.status, answer.headers.get("Retry-After", ""), answer.read().decode()


def call(path, body=None, key=None):
    """Retries until it is answered: the gateway may just be starting, or its relay may be unreachable."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    if key is not None:
        headers["Idempotency-Key"] = key
    data = None if body is None else json.dumps(body).encode()
    while True:
        wait_sec = 1
        try:
            status, retry_after, text = ask(Request(f"{URL}/v1/{path}", data, headers))
            if status < 300:
                return json.loads(text)
            if status < 500 and status != 429:
                raise Refused(f"{path}: {text}")
            wait_sec = int(retry_after) if retry_after.isdecimal() else 1
            print(f"{path}: {text}", file=sys.stderr, flush=True)
        except (OSError, HTTPException) as error:
            print(f"{path}: {error}", file=sys.stderr, flush=True)
        time.sleep(wait_sec)


def answer(update):
    message = update.get("message", {})
    if update["type"] != "message" or "text" not in message:
        return
    # Two bots that answer each other would never stop; and in a group people talk to each other.
    if message["from"].get("bot") or update["chat_id"] != message["from"]["id"]:
        return
    body = {"text": message["text"], "reply_to": message["id"]}
    # The key is derived from the update's id: after a restart the same answer has the same key, and is not sent again.
    call(f"chats/{update['chat_id']}/messages", body, key=f"echo-{update['id']}")


offset = 0
while True:
    for update in call(f"updates?offset={offset}&timeout=30"):
        try:
            answer(update)
        except Refused as refused:
            print(refused, file=sys.stderr, flush=True)
        # Only now: the next request confirms the updates below the offset, and they never come again.
        offset = update["id"] + 1
