// Ends the process, as kill -9 does, when it comes to a named point for the n-th time.
const nothing = new Int32Array(new SharedArrayBuffer(4));

export function dieHere(note, name, point) {
  note({ type: 'died', process: name, point });
  process.kill(process.pid, 'SIGKILL');
  // Nothing more happens before the signal has come.
  Atomics.wait(nothing, 0, 0);
}

/** `reach(point)` dies at the point; `reach.soon(point)` when what was just asked for has left. */
export function crashing(at, note, name) {
  let left = at?.times ?? 0;
  const isHere = (point) => at?.point === point && --left === 0;
  const reach = (point) => void (isHere(point) && dieHere(note, name, point));
  reach.soon = (point) => void (isHere(point) && setImmediate(() => dieHere(note, name, point)));
  return reach;
}
