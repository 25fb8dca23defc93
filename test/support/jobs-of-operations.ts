import { isDeepStrictEqual } from 'node:util';
import { operations } from '#src/operations.js';
import { toJsonSchema } from '#src/platform/json-schema.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';

interface Answer {
  readonly anyOf?: readonly Answer[];
  readonly properties?: Readonly<Record<string, Answer>>;
}

const withoutWords = ({ response }: AnyOperation): Answer => toJsonSchema(response, 'output', true);
const isReader = ({ path }: AnyOperation) => path.endsWith('/jobs/:jobId');

function readerOfId(operation: string, { properties }: Answer): string {
  if (properties?.['progress'] !== undefined) throw new Error(`No operation returns the job of ${operation}.`);
  return 'getRecalculationJob';
}

/**
 * Operations that answer with a job, each with the operation that returns the state of the job: the one whose response
 * is the answer. An answer with a job inside and no such operation is made again, and a job without a state in the
 * answer is a calculation.
 */
export function readersOfJobs(): ReadonlyMap<string, string> {
  const readers = operations.filter(isReader).map((reader) => ({ id: reader.id, job: withoutWords(reader) }));
  const readerOf = (job: Answer) => readers.find((reader) => isDeepStrictEqual(reader.job, job))?.id;
  return new Map(
    operations.flatMap((operation) => {
      if (isReader(operation)) return [];
      const answer = withoutWords(operation);
      const job = (answer.anyOf ?? [answer]).find((each) => each.properties?.['jobId'] !== undefined);
      if (job !== undefined) return [[operation.id, readerOf(job) ?? readerOfId(operation.id, job)] as const];
      const within = answer.properties?.['job'];
      const startsJob = operation.status === 202 || operation.otherStatus === 202;
      return within === undefined || !startsJob ? [] : [[operation.id, readerOf(within) ?? operation.id] as const];
    }),
  );
}
