/** What the sample says when it is ready. */
export function hints(port: number): string {
  const url = `http://localhost:${port}`;
  return `
The sample listens on ${url}.

  Its dashboard: ${url}/jobs

In another terminal, try:

  a queued and a delayed job     curl -X POST ${url}/users -H 'content-type: application/json' -d '{"email":"ada@example.com"}'
  a job that fails twice         curl -X POST ${url}/users/ada@example.com/sync
  wrong params, refused at once  curl -X POST ${url}/users -H 'content-type: application/json' -d '{"email":"nobody"}'
  what is in the store           curl ${url}/tasks

A heartbeat recurs every 10 seconds by itself, and every 3 seconds a visitor comes by; some of their cards are declined.
Ctrl-C ends the sample; tasks that still wait are lost with it, because the embedded store lives in its memory.
`;
}
