/** To a thread: the parts of a task, then the signal to run it. */
export type ThreadMessage = { readonly part: unknown } | { readonly run: true };

/** From a thread: the result of a task, a failure for the caller, or an unexpected error. */
export type ThreadAnswer =
  | { readonly result: Uint8Array }
  | {
      readonly failure: {
        readonly code: string;
        readonly message: string;
        readonly details?: Readonly<Record<string, unknown>>;
      };
    }
  | { readonly error: string };
