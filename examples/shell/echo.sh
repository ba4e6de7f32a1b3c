#!/bin/sh
# Echo: repeats every text that people write to it. Needs curl and jq.
set -eu
url=${POSTERN_URL:-http://127.0.0.1:8080}

# call PATH [KEY BODY]: prints the answer. Retries until there is one: the gateway may just be starting, or its relay may be
# unreachable. The token is passed in a file and the body in a pipe, because everybody on the machine can read the
# arguments of a command.
call() {
  path=$1 key=${2:-} body=${3:-}
  set -- --silent --show-error --max-time 60 --write-out '\n%{http_code} %header{retry-after}'
  [ -z "$key" ] || set -- "$@" --data-binary @- -H 'Content-Type: application/json' -H "Idempotency-Key: $key"
  while :; do
    answer=$(printf %s "$body" | curl "$@" -H @/dev/fd/3 "$url/v1/$path" 3<<TOKEN
Authorization: Bearer ${BOT_TOKEN:-}
TOKEN
    ) || answer='no answer
000 '
    status=$(printf '%s\n' "$answer" | tail -n 1) said=$(printf '%s\n' "$answer" | sed '$d')
    case $status in
      2*) printf '%s\n' "$said" && return ;;
      429* | 5* | 000*) printf '%s: %s\n' "$path" "$said" >&2 ;;
      *) printf '%s: %s\n' "$path" "$said" >&2 && return 1 ;;
    esac
    case ${status#* } in
      '' | *[!0-9]*) sleep 1 ;;
      *) sleep "${status#* }" ;;
    esac
  done
}

# Two bots that answer each other would never stop; and in a group people talk to each other.
reply='select(.type == "message" and .message.text and (.message.from.bot | not) and .chat_id == .message.from.id)
  | {text: .message.text, reply_to: .message.id}'

offset=0
while :; do
  updates=$(call "updates?offset=$offset&timeout=30&limit=1")
  [ "$updates" != '[]' ] || continue
  id=$(printf %s "$updates" | jq '.[0].id')
  chat=$(printf %s "$updates" | jq -r '.[0].chat_id')
  body=$(printf %s "$updates" | jq -c ".[0] | $reply")
  # The key is derived from the update's id: after a restart the same answer has the same key, and is not sent again.
  [ -z "$body" ] || call "chats/$chat/messages" "echo-$id" "$body" >/dev/null || echo 'Refused: on to the next.' >&2
  # Only now: the next request confirms the updates below the offset, and they never come again.
  offset=$((id + 1))
done
