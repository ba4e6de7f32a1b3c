"""Makes the calls of an operator, and prints what they answer, for the tests."""

import json
import sys

from postern_sdk import Api, ApiError

api = Api(retry_for_s=0)
chat, url = sys.argv[1:]

created = api.create_token("reads one chat", ["read"], chats=[chat])
limited = Api(token=created["token"], retry_for_s=0)
seen = [one["id"] for one in limited.list_chats()]
listed = [one["name"] for one in api.list_tokens()]
try:
    limited.send_message(chat, "not allowed")
    refusal = ""
except ApiError as error:
    refusal = error.code
api.revoke_token(created["id"])

api.set_webhook(url, "a secret of the webhook", previous_secret="the one before it")
paused = api.pause_webhook().get("paused")
resumed = "paused" in api.resume_webhook()
api.retry_webhook()
enabled = api.get_webhook()["enabled"]
removed = api.remove_webhook()["enabled"]

answers = {
    "seen": seen,
    "listed": listed,
    "refusal": refusal,
    "left": api.list_tokens(),
    "webhook": [paused, resumed, enabled, removed],
}
print(json.dumps(answers))
