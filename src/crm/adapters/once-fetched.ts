/** Fetches a value at the first call and returns it at all calls. A failure is not kept: the next call fetches again. */
export function onceFetched<T>(fetch: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | null = null;
  return () => {
    value ??= fetch().catch((error: unknown) => {
      value = null;
      throw error;
    });
    return value;
  };
}
