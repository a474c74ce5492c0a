/** A store that throws at once is no worse than one that rejects. */
export function answerOf<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return ask();
  } catch (error) {
    return Promise.reject(error);
  }
}
