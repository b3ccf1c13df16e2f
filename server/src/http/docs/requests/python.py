# {{ self.0.summary }}. Python 3.8 or later, without packages.
import os
import urllib.request

{% if self.0.needs_key -%}
BASE, KEY = os.environ["BASE"], os.environ["KEY"]
request = urllib.request.Request(f"{BASE}{{ self.0.target }}")
request.add_header("Authorization", f"Bearer {KEY}")
{%- else -%}
BASE = os.environ["BASE"]
request = urllib.request.Request(f"{BASE}{{ self.0.target }}")
{%- endif %}
with urllib.request.urlopen(request) as answer:
    print(answer.status, answer.read().decode())
