import { z } from 'zod';
import { type Caller, type KeyScope } from '../kernel/caller.js';
import { type Clock } from '../kernel/clock.js';
import { type Failure } from '../kernel/failure.js';
import { type Trigger } from '../ledger/requests/calculation-requests.js';
import { CommissionChanges } from '../ledger/requests/commission-changes.js';
import { type Transaction, UnitOfWork } from '../platform/database/unit-of-work.js';
import { daysByRep, type Facts, findFact } from '../platform/files/facts.js';
import { CLOCK } from '../platform/injection-tokens.js';
import { operation } from '../platform/operations/operation.js';
import { asOfQuery } from '../platform/operations/schemas.js';

/** Facts of which each has its own path. The parameters of the path are the key of the fact. */
interface FactsAtPath<Params extends z.ZodObject, Terms extends z.ZodObject, Answer extends z.ZodObject> {
  readonly facts: Facts;
  readonly path: string;
  readonly params: Params;
  readonly terms: Terms;
  readonly response: Answer;
  readonly example: NoInfer<z.input<Answer>>;
  /** Every error code of each of the operations, besides `notFound`. */
  readonly failures: Readonly<Record<string, number>>;
  readonly notFound: () => Failure;
  /** The stored fact as responses have it. */
  readonly find: (tx: Transaction, key: z.output<Params>) => Promise<NoInfer<z.input<Answer>> | null>;
  /** Rejects the change of a fact that must not change as things are, also one that does not exist. Without terms, it is to be removed. */
  readonly assertChangeable: (
    tx: Transaction,
    key: z.output<Params>,
    change: { readonly terms: z.output<Terms> | null; readonly clock: Clock },
  ) => Promise<void>;
  /** Why the people whom a change affects are calculated again. */
  readonly trigger: Trigger;
}

/** What each operation says of itself. */
interface Declared<Id extends string> {
  readonly id: Id;
  readonly summary: string;
  readonly scope?: KeyScope | null;
  readonly payroll?: true;
  readonly failures?: Readonly<Record<string, number>>;
}

const changeUses = { changes: CommissionChanges, clock: CLOCK };

/** Declares facts of which each has its own path, for the operations that the functions below declare. */
export function factsAtPath<Params extends z.ZodObject, Terms extends z.ZodObject, Answer extends z.ZodObject>(
  declared: FactsAtPath<Params, Terms, Answer>,
): FactsAtPath<Params, Terms, Answer> {
  return declared;
}

/** The operation that stores a fact in place of the one with its key. `body` is an example of the terms; by default those of the example. */
export function putOf<
  Params extends z.ZodObject,
  Terms extends z.ZodObject,
  Answer extends z.ZodObject,
  const Id extends string,
>(
  of: FactsAtPath<Params, Terms, Answer>,
  { failures, body = partOf(of.example, of.terms), ...declared }: Declared<Id> & { readonly body?: object },
) {
  return operation({
    ...declared,
    method: 'put',
    path: of.path,
    access: 'admin',
    params: of.params,
    body: of.terms,
    response: of.response,
    failures: { ...of.failures, ...failures },
    example: { params: keyOfExample(of), body, response: of.example },
    uses: changeUses,
    execute: async ({ params, body: terms }, caller, uses) =>
      change(
        uses,
        caller,
        of,
        { key: params as never, terms: terms as never },
        async (tx) => (await of.find(tx, params as never)) as never,
      ),
  });
}

/** The operation that removes a fact. `unknown` says what gets status 404. */
export function deleteOf<
  Params extends z.ZodObject,
  Terms extends z.ZodObject,
  Answer extends z.ZodObject,
  const Id extends string,
>(
  of: FactsAtPath<Params, Terms, Answer>,
  { failures, unknown, ...declared }: Declared<Id> & { readonly unknown: string },
) {
  const ids = Object.fromEntries(Object.keys(of.params.shape).map((name) => [name, of.response.shape[name]]));
  return operation({
    ...declared,
    method: 'delete',
    path: of.path,
    access: 'admin',
    params: of.params,
    response: z.object({
      deleted: z.boolean().describe(`Always true: ${unknown} gets status 404`),
      ...(ids as Pick<Answer['shape'], keyof Answer['shape'] & keyof Params['shape']>),
    }),
    failures: { ...of.failures, ...failures, [of.notFound().code]: 404 },
    example: { params: keyOfExample(of), response: { deleted: true, ...keyOfExample(of) } },
    uses: changeUses,
    execute: async ({ params }, caller, uses) =>
      change(
        uses,
        caller,
        of,
        { key: params as never, terms: null },
        async () => ({ deleted: true, ...params }) as never,
      ),
  });
}

/** The operation that reads a fact, now or as of an earlier instant. */
export function getOf<
  Params extends z.ZodObject,
  Terms extends z.ZodObject,
  Answer extends z.ZodObject,
  const Id extends string,
>(of: FactsAtPath<Params, Terms, Answer>, { failures, ...declared }: Declared<Id>) {
  return operation({
    ...declared,
    method: 'get',
    path: of.path,
    access: 'admin',
    params: of.params,
    query: z.strictObject({ asOf: asOfQuery }),
    response: of.response,
    failures: { ...of.failures, ...failures, [of.notFound().code]: 404 },
    example: { params: keyOfExample(of), response: of.example },
    uses: { unitOfWork: UnitOfWork },
    execute: async ({ params, query: { asOf } }, caller, { unitOfWork }) => {
      const options = { lock: 'none', access: 'read', asOf } as const;
      const found = await unitOfWork.run(caller, options, (tx) => of.find(tx, params as never));
      if (found === null) throw of.notFound();
      return found as never;
    },
  });
}

/** Stores the terms in place of those of the key, or none, and requests the calculation of the people whom this affects. */
async function change<Params extends z.ZodObject, Terms extends z.ZodObject, Result>(
  { changes, clock }: { readonly changes: CommissionChanges; readonly clock: Clock },
  caller: Caller,
  { facts, assertChangeable, notFound, trigger }: FactsAtPath<Params, Terms, z.ZodObject>,
  { key, terms }: { readonly key: z.output<Params>; readonly terms: z.output<Terms> | null },
  describe: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  return changes.run(caller, 'exclusive', async (tx, recalculate) => {
    await assertChangeable(tx, key, { terms, clock });
    const before = await findFact(tx, facts, key);
    if (before === null && terms === null) throw notFound();
    const after = terms === null ? null : { ...key, ...terms };
    const affected = await facts.store(tx, [{ before, after }], { caller, clock, recalculate });
    await recalculate([...daysByRep(affected)].map(([repId, days]) => ({ repId, days, trigger })));
    return describe(tx);
  });
}

function keyOfExample({ example, params }: { readonly example: object; readonly params: z.ZodObject }) {
  return partOf(example, params) as Readonly<Record<string, string>>;
}

function partOf(example: object, { shape }: z.ZodObject): object {
  return Object.fromEntries(Object.entries(example).filter(([name]) => name in shape));
}
