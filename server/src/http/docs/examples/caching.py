# The same list twice: 200, then 304, because the tag of the first answer is sent.
import json
import os
import urllib.error
import urllib.request

BASE, KEY = os.environ["BASE"], os.environ["KEY"]
headers = {"Authorization": f"Bearer {KEY}"}

for turn in 1, 2:
    request = urllib.request.Request(BASE + "/v1/boats?limit=1", headers=headers)
    try:
        with urllib.request.urlopen(request) as answer:
            status, body = answer.status, json.load(answer)
            headers["If-None-Match"] = answer.headers["ETag"]
    except urllib.error.HTTPError as refusal:
        if refusal.code != 304:
            raise
        status = 304
    print(status, body["data"][0]["slug"])
