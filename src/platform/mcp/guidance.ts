import { type AccessLevel } from '../../kernel/caller.js';
import { type AnyOperation } from '../operation.js';

/** What agents are offered beside the tools: the platform carries it, the words and addresses are the slices' matter. */
export interface Guidance {
  readonly instructions: string;
  readonly documents: readonly GuideDocument[];
  readonly resources: readonly OperationResource[];
  readonly prompts: readonly Prompt[];
  /** Where to look after a refusal, by its code. */
  readonly hints: Readonly<Record<string, string>>;
  /** The code of a refusal when nothing has the id, by the name of the argument that holds it. */
  readonly unknownIds: Readonly<Record<string, string>>;
  /** What may be meant by a placeholder or an argument of that name. */
  readonly completions: Readonly<Record<string, Completion>>;
}

/** A text that is the same for everybody. */
export interface GuideDocument {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  text(): string;
}

export interface ResourceParts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** The answer of an operation under an address: `commission://plans/{planId}`. */
export interface OperationResource {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly operation: AnyOperation;
  /** Least standing, where it is more than the operation's. */
  readonly access?: AccessLevel;
  /** The list that is cut when all of it would be too much. */
  readonly list?: string;
  parts(variables: Readonly<Record<string, string>>): ResourceParts;
}

export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** Words for a person to start from; they come from us and from the arguments, never from what is stored. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly access: AccessLevel;
  readonly arguments: readonly PromptArgument[];
  text(given: Readonly<Record<string, string | undefined>>): string;
}

/** Values found through an operation, each with the words it may also be found by. */
export interface Completion {
  readonly operation: AnyOperation;
  candidates(answer: unknown): readonly { readonly value: string; readonly label?: string }[];
}
