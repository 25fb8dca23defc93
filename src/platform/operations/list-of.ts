import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { type Transaction, UnitOfWork } from '../database/unit-of-work.js';
import { CLOCK } from '../injection-tokens.js';
import { type Tool } from '../mcp/tool.js';
import { type AnyOperation, type Input, type Operation, operation, Page } from './operation.js';

/** A list in a response: its name, its items, and the words by which `count` names them; those of the name by default. */
interface List<Name extends string, Item extends z.ZodType> {
  readonly name: Name;
  readonly items: z.ZodArray<Item>;
  readonly counted?: string;
}

type ListResponse<Name extends string, Item extends z.ZodType> = z.ZodObject<{
  [Key in Name | 'count']: Key extends 'count' ? z.ZodInt : z.ZodArray<Item>;
}>;
type NamesIn<S> = S extends z.ZodObject<infer Shape> ? keyof Shape & string : never;
type Parsed<S> = S extends z.ZodType<infer T> ? T : Record<string, never>;

const uses = { unitOfWork: UnitOfWork, clock: CLOCK };

/**
 * Declares an operation that lists all items that the query selects, or a page of them; with `asOf` in the query, as they
 * were then.
 */
export function listOf<
  const Id extends string,
  const Name extends string,
  Item extends z.ZodType,
  const Query extends z.ZodObject | undefined = undefined,
  const Params extends z.ZodObject | undefined = undefined,
>(
  declared: Pick<Operation, 'summary' | 'path' | 'access' | 'payroll' | 'scope'> & {
    readonly id: Id;
    readonly params?: Params;
    readonly query?: Query;
    readonly list: List<Name, Item>;
    readonly failures?: Operation['failures'];
    readonly tool?: Tool<NamesIn<Params> | NamesIn<Query>, z.output<ListResponse<Name, Item>>, AnyOperation>;
    readonly example: Pick<Operation['example'], 'params' | 'query'> & { readonly items: readonly unknown[] };
  },
  load: (
    tx: Transaction,
    input: Input<Parsed<Params>, Parsed<Query>>,
    caller: Caller,
    clock: Clock,
  ) => Promise<readonly z.input<Item>[] | Page<readonly z.input<Item>[]>>,
) {
  const { list, failures = {}, example, ...rest } = declared;
  const { name, items, counted = inWords(name) } = list;
  const { items: listed, ...request } = example;
  return operation<Params, Query, undefined, ListResponse<Name, Item>, Id, undefined, undefined, typeof uses>({
    ...rest,
    method: 'get',
    response: z.object({ [name]: items, count: z.int().describe(`Number of ${counted}`) }) as never,
    failures,
    example: { ...request, response: { [name]: listed, count: listed.length } },
    uses,
    async execute(input, caller, { unitOfWork, clock }) {
      const { asOf } = input.query as { readonly asOf?: Date };
      const found = await unitOfWork.run(caller, { lock: 'none', access: 'read', asOf }, (tx) =>
        load(tx, input as never, caller, clock),
      );
      const page = found instanceof Page ? found : new Page(found, found.length);
      return { [name]: page.body, count: page.count } as never;
    },
  });
}

/** The words of a name: fiscal years for fiscalYears. */
function inWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
