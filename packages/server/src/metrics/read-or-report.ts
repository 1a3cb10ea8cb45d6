/**
 * Returns a function that calls `read`, and returns undefined if it fails, because an unavailable database must not fail
 * the other metrics. Of consecutive failures only the first is reported to `onError`.
 */
export function readOrReport<Result>(
  read: () => Promise<Result>,
  onError: (error: unknown) => void,
): () => Promise<Result | undefined> {
  let isFailing = false;
  return async () => {
    try {
      const result = await read();
      isFailing = false;
      return result;
    } catch (error) {
      if (!isFailing) onError(error);
      isFailing = true;
      return undefined;
    }
  };
}
