interface Chosen {
  readonly repId: string;
  readonly version: number;
}

interface Answer {
  readonly approved: readonly unknown[];
  readonly refused: readonly { readonly repId: string; readonly message: string }[];
}

export interface Progress {
  readonly done: number;
  readonly total: number;
}

export interface Approved {
  readonly approved: number;
  /** Why statements were not approved, by rep. */
  readonly failed: ReadonlyMap<string, string>;
}

/** Statements of one request, so that the progress moves and little is uncertain when a connection is lost. */
const chunkSize = 20;

/**
 * Sends the statements some at a time. When a request fails, its statements and those that were not sent are listed as
 * not approved: approving a version twice changes nothing.
 */
export async function approveInChunks<Statement extends Chosen>(
  statements: readonly Statement[],
  send: (chunk: readonly Statement[]) => Promise<Answer>,
  describe: (error: unknown) => string,
  onProgress: (progress: Progress) => void,
): Promise<Approved> {
  const failed = new Map<string, string>();
  let approved = 0;
  for (let from = 0; from < statements.length; from += chunkSize) {
    onProgress({ done: from, total: statements.length });
    try {
      const answer = await send(statements.slice(from, from + chunkSize));
      approved += answer.approved.length;
      for (const { repId, message } of answer.refused) failed.set(repId, message);
    } catch (error) {
      const why = describe(error);
      for (const { repId } of statements.slice(from)) failed.set(repId, `${why} Approve it again.`);
      break;
    }
  }
  return { approved, failed };
}
