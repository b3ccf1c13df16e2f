# One boat of the list, and its full record. Python 3.8 or later, without packages.
import json
import os
import urllib.request

BASE, KEY = os.environ["BASE"], os.environ["KEY"]


def get(path):
    request = urllib.request.Request(BASE + path, headers={"Authorization": f"Bearer {KEY}"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["data"]


[row] = get("/v1/boats?limit=1")
boat = get("/v1/boats/" + row["slug"])
print(f"{boat['manufacturer']['name']} {boat['model']}: {boat['lengthOverallMetres']} m")
