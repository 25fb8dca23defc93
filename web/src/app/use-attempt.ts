import { useState } from 'react';
import { ApiError } from '#src/client.js';
import { describeError } from '../api/describe-error.js';

/** Runs one attempt to sign in or to confirm at a time, and has the message of the last one that failed. */
export function useAttempt() {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const run = (work: () => Promise<void>) => {
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    work()
      .catch((error: unknown) => setProblem(describeAttemptError(error)))
      .finally(() => setBusy(false));
  };
  return { isBusy, problem, run };
}

function describeAttemptError(error: unknown): string {
  if (error instanceof ApiError && error.code === 'invalid_code')
    return 'The code is wrong or has expired. Send a new one.';
  if (error instanceof ApiError && error.code === 'rate_limited')
    return 'Too many attempts. Wait a minute and try again.';
  return describeError(error).message;
}
