# Waits for what `Retry-After` says where waiting helps, and tells every other error.
import json
import os
import random
import time
import urllib.error
import urllib.request

BASE, KEY = os.environ["BASE"], os.environ["KEY"]
WORTH_WAITING = ["RATE_LIMITED", "SERVICE_UNAVAILABLE"]


def get(path, attempts=5):
    request = urllib.request.Request(BASE + path, headers={"Authorization": f"Bearer {KEY}"})
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        error = json.load(refusal)["error"]
        if attempts == 1 or error["code"] not in WORTH_WAITING:
            raise SystemExit(f"{error['code']}: {error['message']} (request {error['requestId']})")
        seconds = int(refusal.headers["Retry-After"]) + random.random()
    time.sleep(seconds)
    return get(path, attempts - 1)


page = get("/v1/manufacturers?limit=1")
print(f"{page['data'][0]['name']}, one of {page['pagination']['total']}")
