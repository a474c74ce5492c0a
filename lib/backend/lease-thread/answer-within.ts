/** Rejects where no answer comes in time; `givenUp` is called then. What comes later is nobody's. */
export function answerWithin<T>(
  answerMs: number,
  reply: Promise<T>,
  givenUp: (error: Error) => void = () => undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const error = new Error(`no answer within ${answerMs} ms`);
      reject(error);
      givenUp(error);
    }, answerMs);
    reply.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
