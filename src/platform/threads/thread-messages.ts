/** To a thread: the parts of a task, the signal to run it, and the replies to its requests. */
export type ThreadMessage =
  | { readonly part: unknown }
  | { readonly run: true }
  | { readonly reply: unknown; readonly id: number };

export interface ThreadRequest {
  readonly request: unknown;
  readonly id: number;
}

/** A thread sends a request, the result of a task, a failure for the caller, or an unexpected error. */
export type ThreadResponse =
  | ThreadRequest
  | { readonly result: Uint8Array }
  | {
      readonly failure: {
        readonly code: string;
        readonly message: string;
        readonly details?: Readonly<Record<string, unknown>>;
      };
    }
  | { readonly error: string };
