// Waits for what `Retry-After` says where waiting helps, and tells every other error.
const { BASE, KEY } = process.env;
const WORTH_WAITING = ["RATE_LIMITED", "SERVICE_UNAVAILABLE"];

async function get(path, attempts = 5) {
  const answer = await fetch(BASE + path, { headers: { Authorization: `Bearer ${KEY}` } });
  const body = await answer.json();
  if (answer.ok) return body;
  const { code, message, requestId } = body.error;
  if (attempts === 1 || !WORTH_WAITING.includes(code)) {
    throw new Error(`${code}: ${message} (request ${requestId})`);
  }
  const seconds = Number(answer.headers.get("retry-after")) + Math.random();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  return get(path, attempts - 1);
}

const { data, pagination } = await get("/v1/manufacturers?limit=1");
console.log(`${data[0].name}, one of ${pagination.total}`);
