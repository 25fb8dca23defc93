import { type Caller } from '../../kernel/caller.js';
import { type JsonSchema } from '../json-schema.js';

/** Every tool sets all four: clients assume the worst for a hint that is missing. */
export interface Hints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

const closedWorld = { openWorldHint: false } as const;

/** The effects of a tool. Replacing data counts as destructive, even if nothing is deleted. */
export const effects = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, ...closedWorld },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, ...closedWorld },
  changes: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, ...closedWorld },
  sets: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, ...closedWorld },
} satisfies Readonly<Record<string, Hints>>;

/**
 * The template of every description: it must suffice for a model to choose and call the tool. The example is that of
 * the operation.
 */
export interface Description {
  readonly purpose: string;
  readonly useWhen: string;
  /** Names the tool to use instead. */
  readonly notFor: string;
  readonly formats?: string;
  readonly changes: string;
}

/** The description of an argument; its schema is the operation's unless another is given. */
export interface DescribedArgument {
  readonly description: string;
  readonly schema?: () => JsonSchema;
  /** Required of agents, optional in the operation. */
  readonly required?: true;
  /** Keywords for values that a schema without unions cannot express: `always` for null. */
  readonly keywords?: Readonly<Record<string, unknown>>;
}

/** The schemas of tools have no null, so an open end is a keyword: `always` for no earliest day. */
export function firstDay(text: string): DescribedArgument {
  return { description: `${text}, YYYY-MM-DD or "always"`, keywords: { always: null } };
}

export function lastDay(text: string): DescribedArgument {
  return { description: `${text}, YYYY-MM-DD or "never"`, keywords: { never: null } };
}

export type Argument =
  | string
  | DescribedArgument
  /** The model does not see the argument: it always has this value. */
  | { readonly always: unknown };

/**
 * Large results have a short and a full form: the short form omits these parts, where `reps.rules` means those of
 * every rep.
 */
interface Detail {
  readonly defaultForm: 'summary' | 'full';
  readonly summaryOmits: readonly string[];
}

/** Work that continues after the response: the operation that reports its progress while the call is open. */
export interface Follow<Operation> {
  readonly operation: Operation;
  params(response: unknown): Readonly<Record<string, string>>;
  progress(response: unknown): { readonly done: number; readonly total: number; readonly isOver: boolean };
}

/** The parts of a call, as the operation reads them. */
interface CallParts {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** The tool that calculates what a call would do, for the person who decides about it. */
export interface PreviewedBy {
  readonly tool: string;
  /** The call of that tool; null for a call that moves no amounts. */
  input(call: CallParts, days: { readonly from: string; readonly to: string }): CallParts | null;
}

/**
 * An operation as a tool. The arguments are those of its path, query and body, by name; `limit` and `offset` are the
 * same for every list.
 */
export interface Tool<Names extends string, Output, Operation> {
  /** verb_noun. It is part of the API and is never renamed. */
  readonly name: string;
  readonly title: string;
  readonly hints: Hints;
  readonly description: Description;
  readonly arguments: { readonly [Name in Exclude<Names, 'limit' | 'offset'>]: Argument };
  /** The result is a list under this name, in pages: `total` and `nextOffset` are beside it. */
  readonly list?: string;
  /** The result contains lists besides other fields: `page` describes the first of these lists that it has. */
  readonly listsWithin?: readonly string[];
  readonly detail?: Detail;
  /** Listed first. All other tools are in the order of the operations. */
  readonly listedFirst?: true;
  /** The call must have `confirm: true`: its effect cannot be undone. */
  readonly confirmed?: true;
  /** The call changes only what the stored data require already: it runs also where a person approves changes. */
  readonly needsNoApproval?: true;
  readonly follow?: Follow<Operation>;
  readonly previewedBy?: PreviewedBy;
  /**
   * A one-line summary of the result from fixed text, figures and ids only: what people wrote into deals and names
   * must not be where a model looks for instructions. `total` is the number of items on all pages of the list.
   */
  summary(response: Output, caller: Caller, total: number): string;
}
