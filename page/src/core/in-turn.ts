/** One at a time; what is wanted meanwhile is done once more at the end. */
export function inTurn(act: () => Promise<void>): () => void {
  let isBusy = false;
  let isWanted = false;
  const run = async (): Promise<void> => {
    isBusy = true;
    do {
      isWanted = false;
      await act();
    } while (isWanted);
    isBusy = false;
  };
  return () => {
    isWanted = true;
    if (!isBusy) void run();
  };
}
