# The slugs of all boats: `Link` names the next page until there is none.
import json
import os
import re
import urllib.request

BASE, KEY = os.environ["BASE"], os.environ["KEY"]

path = "/v1/boats?limit=20"
while path:
    request = urllib.request.Request(BASE + path, headers={"Authorization": f"Bearer {KEY}"})
    with urllib.request.urlopen(request) as answer:
        for boat in json.load(answer)["data"]:
            print(boat["slug"])
        following = re.search('<([^>]*)>; rel="next"', answer.headers.get("Link", ""))
    path = following and following[1]
