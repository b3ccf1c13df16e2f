// The slugs of all boats: `Link` names the next page until there is none.
const { BASE, KEY } = process.env;

let next = "/v1/boats?limit=20";
while (next) {
  const answer = await fetch(BASE + next, { headers: { Authorization: `Bearer ${KEY}` } });
  const body = await answer.json();
  if (!answer.ok) throw new Error(`${body.error.code}: ${body.error.message}`);
  for (const boat of body.data) console.log(boat.slug);
  next = answer.headers.get("link")?.match(/<([^>]*)>; rel="next"/)?.[1];
}
