// The same list twice: 200, then 304, because the tag of the first answer is sent.
const { BASE, KEY } = process.env;
const headers = { Authorization: `Bearer ${KEY}` };
let body;

for (const turn of [1, 2]) {
  const answer = await fetch(`${BASE}/v1/boats?limit=1`, { headers });
  if (answer.status === 200) {
    body = await answer.json();
    headers["If-None-Match"] = answer.headers.get("etag");
  }
  console.log(answer.status, body.data[0].slug);
}
