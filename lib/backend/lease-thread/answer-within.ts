/** Rejects where no answer comes in time; `givenUp` is called then. What comes later is nobody's. */
export function answerWithin<T>(
  answerMs: number,
  reply: Promise<T>,
  givenUp: () => void = () => undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`no answer within ${answerMs} ms`));
      givenUp();
    }, answerMs);
    reply.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
